# Of a report, what a comparison needs.
del(.tasks[].cells[] | .groups, .facts, (.questions[] | .detail, .group, .ms))
