"""Is this patch really faster, and still right? A verifier for patches whose author is not trusted."""
