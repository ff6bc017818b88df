import type { CredentialType } from '@deckhand/contracts';
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { credentialsQuery } from '../../../api/credentials.ts';
import { useWorkspace } from '../../../api/use-workspace.ts';
import { i18n } from '../../../language/i18n.ts';

/** Selects a credential of the workspace, of those that a node can use in a version that this person saves. */
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
  const { user } = useWorkspace();
  const credentials = (useQuery(credentialsQuery(workspaceId)).data?.data ?? []).filter(
    ({ type, visibility, ownerId }) => types.includes(type) && (visibility === 'shared' || ownerId === user.id),
  );
  return (
    <Select
      label={i18n.t('Credential')}
      description={i18n.t('Types: {types}', { types: types.join(', ') })}
      placeholder={i18n.t('None')}
      clearable
      data={credentials.map(({ id, name }) => ({ value: id, label: name }))}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}
