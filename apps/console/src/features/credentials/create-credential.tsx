import {
  CREDENTIAL_SECRETS,
  CREDENTIAL_TYPES,
  CREDENTIAL_VISIBILITIES,
  type CredentialType,
  HTTP_CREDENTIAL_TYPES,
  type JsonObject,
  parseOwnJson,
} from '@deckhand/contracts';
import { Modal, Radio, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { createCredential, credentialsQuery, type Traffic } from '../../api/credentials.ts';
import { choice } from '../../app/search.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { FormFooter } from '../../components/form-footer.tsx';
import { i18n } from '../../language/i18n.ts';
import { TrafficFields } from './traffic-fields.tsx';

/** Labels of the types. */
const LABELS: Readonly<Record<CredentialType, string>> = {
  apiKey: i18n.t('API key in a header'),
  basic: i18n.t('User name and password'),
  bearer: i18n.t('Bearer token'),
  header: i18n.t('Custom header'),
  postgres: 'PostgreSQL',
  smtp: i18n.t('SMTP server'),
};

/** Creates a credential. */
export function CreateCredential({ workspaceId, onClose }: { workspaceId: string; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [type, setType] = useState<CredentialType>('bearer');
  const [secret, setSecret] = useState<JsonObject>({});
  const [visibility, setVisibility] = useState<(typeof CREDENTIAL_VISIBILITIES)[number]>('shared');
  const [hosts, setHosts] = useState<string[]>([]);
  const [traffic, setTraffic] = useState<Traffic>({ rateLimit: null, circuit: null });
  const isForHttp = HTTP_CREDENTIAL_TYPES.includes(type);
  const schema = useMemo(() => parseOwnJson<JsonObject>(JSON.stringify(CREDENTIAL_SECRETS[type])), [type]);
  const creation = useMutation({
    mutationFn: () =>
      createCredential({
        workspaceId,
        name,
        type,
        secret,
        visibility,
        ...(hosts.length > 0 ? { allowedHosts: hosts } : {}),
        ...(isForHttp && traffic),
      }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={i18n.t('New credential')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          creation.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={i18n.t('Name')}
            required
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label={i18n.t('Type')}
            allowDeselect={false}
            data={CREDENTIAL_TYPES.map((value) => ({ value, label: LABELS[value] }))}
            value={type}
            onChange={(value) => {
              setType(choice(CREDENTIAL_TYPES, value) ?? 'bearer');
              setSecret({});
            }}
          />
          <SchemaForm schema={schema} value={secret} onChange={setSecret} />
          <Radio.Group
            label={i18n.t('Shared with')}
            value={visibility}
            onChange={(value) => setVisibility(choice(CREDENTIAL_VISIBILITIES, value) ?? 'shared')}
          >
            <Stack gap={8} mt={6}>
              <Radio
                value="shared"
                label={i18n.t('Everyone')}
                description={i18n.t('In every workflow of the workspace')}
              />
              <Radio
                value="private"
                label={i18n.t('Only you')}
                description={i18n.t('In versions of workflows that you save')}
              />
            </Stack>
          </Radio.Group>
          <TagsInput
            label={i18n.t('Allowed hosts')}
            description={i18n.t('Leave empty for any. Examples: api.example.com, *.example.com, db.example.com:5432')}
            value={hosts}
            onChange={setHosts}
          />
          {isForHttp && <TrafficFields traffic={traffic} onChange={setTraffic} />}
          <FormFooter
            error={creation.error}
            submit={i18n.t('Save')}
            isPending={creation.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Modal>
  );
}
