"""Many verifications."""
