"""Which files hold secrets, by their names: they are left out of every index and counted.

The name decides, never the content, so that a secret file is not even opened. Names that are kept on purpose: public
keys (``id_rsa.pub``), the templates that go with ``.env`` (``.env.example``), and source or prose about secrets
(``credentials.py``, ``secrets.md``).
"""

from __future__ import annotations

import re

_NAMES = rb"""
    \.env(?!\.(?:example|sample|template|dist|defaults|schema)$)(?:[._-].*)? | \.envrc
  | (?:.*\.)?(?:pem|key|p12|pfx|jks|keystore|kdbx?|ppk|ovpn|tfstate)(?:\.(?:bak|backup|old))?
  | id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?(?<!\.pub)
  | \.netrc | _netrc | \.pgpass | \.my\.cnf | \.htpasswd | \.git-credentials | \.vault-token | \.s3cfg | \.boto
  | \.npmrc | \.pypirc | \.dockercfg | \.dockerconfigjson
  | \.?(?:aws[._-])?(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|cfg|conf|properties|xml|csv|env|enc|gpg|bak))?
  | client_secret.*\.json | service[._-]?account.*\.json
"""
_FOLDERS = rb"\.(?:ssh|gnupg|env|password-store)"
_IN_FOLDER = {
    b".docker": frozenset({b"config.json"}),
    b".kube": frozenset({b"config"}),
    b".aws": frozenset({b"config"}),
}

_is_secret_name = re.compile(_NAMES, re.VERBOSE | re.DOTALL).fullmatch
_is_secret_folder = re.compile(_FOLDERS).fullmatch


def is_secret(name: bytes, folder: bool, parent: bytes = b"") -> bool:
    """Whether ``name``, a file or a folder in a folder called ``parent``, is of a kind that holds secrets.

    >>> [is_secret(name, False) for name in (b".env", b".env.example", b"id_rsa.pub", b"server.KEY", b"credentials.md")]
    [True, False, False, True, False]
    """
    name = name.lower()
    if folder:
        return _is_secret_folder(name) is not None
    return _is_secret_name(name) is not None or name in _IN_FOLDER.get(parent.lower(), ())
