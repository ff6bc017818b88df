import type { CredentialType } from '@deckhand/contracts';
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { credentialsQuery } from '../api/credentials.js';

/** Chooses a credential of the workspace, of those that a node can use. */
export function CredentialSelect({
  workspaceId,
  types,
  value,
  onChange,
}: {
  workspaceId: string;
  types: readonly CredentialType[];
  value: string | undefined;
  onChange: (credentialId: string | undefined) => void;
}) {
  const credentials = useQuery(credentialsQuery(workspaceId)).data?.data ?? [];
  return (
    <Select
      label="Credential"
      description={`Of the types ${types.join(', ')}`}
      placeholder="None"
      clearable
      data={credentials.filter(({ type }) => types.includes(type)).map(({ id, name }) => ({ value: id, label: name }))}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}
