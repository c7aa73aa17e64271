-- Purpose: takes 0002_rotations back.
ALTER TABLE webhook_endpoint DROP COLUMN rotation_digest;
