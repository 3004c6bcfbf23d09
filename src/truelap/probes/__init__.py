"""Programs that run inside the sandbox, beside hostile code. Standard library only; imported by nobody."""
