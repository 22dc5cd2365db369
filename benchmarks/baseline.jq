# Of a report, what a comparison needs.
del(.tasks[].cells[] | .groups, (.questions[] | .detail, .group, .ms))
