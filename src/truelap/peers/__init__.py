"""Outside formats, one file each: artifacts of other pipelines in, our verdict in their form out."""
