import {
  CREDENTIAL_SECRETS,
  CREDENTIAL_TYPES,
  type CredentialType,
  type JsonObject,
  parseOwnJson,
} from '@deckhand/contracts';
import { Modal, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { createCredential, credentialsQuery } from '../../api/credentials.js';
import { choice } from '../../app/search.js';
import { SchemaForm } from '../../forms/schema-form.js';
import { FormFooter } from '../../parts/form-footer.js';

/** What each type is for. */
const LABELS: Readonly<Record<CredentialType, string>> = {
  apiKey: 'API key in a header',
  basic: 'User name and password',
  bearer: 'Bearer token',
  header: 'Any header',
  postgres: 'PostgreSQL',
  smtp: 'Mail server',
};

/** Keeps a secret for nodes. */
export function CreateCredential({ workspaceId, onClose }: { workspaceId: string; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [type, setType] = useState<CredentialType>('bearer');
  const [secret, setSecret] = useState<JsonObject>({});
  const schema = useMemo(() => parseOwnJson<JsonObject>(JSON.stringify(CREDENTIAL_SECRETS[type])), [type]);
  const creation = useMutation({
    mutationFn: () => createCredential({ workspaceId, name, type, secret }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="New credential" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          creation.mutate();
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            required
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label="Type"
            allowDeselect={false}
            data={CREDENTIAL_TYPES.map((value) => ({ value, label: LABELS[value] }))}
            value={type}
            onChange={(value) => {
              setType(choice(CREDENTIAL_TYPES, value) ?? 'bearer');
              setSecret({});
            }}
          />
          <SchemaForm schema={schema} value={secret} onChange={setSecret} />
          <FormFooter error={creation.error} submit="Save" isPending={creation.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
