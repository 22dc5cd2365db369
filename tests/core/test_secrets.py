import pytest

from gw_core.secrets import is_secret

SECRET = """
.env .env.local .env.production .ENV .env-ci .env_old .envrc .env.example.local server.pem tls.key .key a.p12
a.pfx store.jks a.keystore vault.kdbx old.kdb putty.ppk home.ovpn terraform.tfstate terraform.tfstate.backup
id_rsa id_dsa id_ecdsa id_ed25519 ID_RSA id_ed25519_sk id_rsa_work id_rsa.bak .netrc _netrc .pgpass .my.cnf
.htpasswd .git-credentials .vault-token .s3cfg .boto .npmrc .pypirc .dockercfg .dockerconfigjson credentials
credential credentials.json credentials.yml .credentials aws_credentials secrets secrets.yaml secret.toml
.secrets secrets.env client_secret_123.json service-account.json service_account_prod.json
"""

KEPT = """
.env.example .env.sample .env.template .env.dist env environment.py environ.md id_rsa.pub id_ed25519.pub
id_rsa_work.pub credentials.py credentials.md CredentialsProvider.java secrets.md secrets.py secretariat.txt
keys.md key.py monkey keynote.txt .editorconfig .gitignore package.json config.json config npmrc.md rsa.txt
identity.txt my.cnf kubeconfig.md public.pem.md
"""


@pytest.mark.parametrize("name", SECRET.split())
def test_secret(name: str) -> None:
    assert is_secret(name.encode(), folder=False)


@pytest.mark.parametrize("name", KEPT.split())
def test_kept(name: str) -> None:
    assert not is_secret(name.encode(), folder=False)


def test_folders_and_what_is_secret_only_in_its_folder() -> None:
    assert [is_secret(name, folder=True) for name in (b".ssh", b".GnuPG", b".env", b"credentials", b"keys")] == [
        True
    ] * 3 + [False] * 2
    for parent, name in (
        (b".aws", b"credentials"),
        (b".aws", b"config"),
        (b".docker", b"config.json"),
        (b".kube", b"config"),
    ):
        assert is_secret(name, folder=False, parent=parent)
    assert not is_secret(b"config", folder=False, parent=b".git")
    assert not is_secret(b"caf\xe9\n", folder=False)
