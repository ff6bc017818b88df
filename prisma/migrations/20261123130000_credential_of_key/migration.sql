-- The key that a credential holds is looked up whenever a node uses the credential.
CREATE INDEX "api_keys_credential_id_idx" ON "api_keys" ("credential_id");
