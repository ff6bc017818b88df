import {
  type CreateApiKeyBody,
  type CreatedApiKey,
  EXECUTE_SCOPE,
  SCOPE_PRESETS,
  SCOPE_RESOURCES,
} from '@deckhand/contracts';
import {
  Button,
  Checkbox,
  Collapse,
  Modal,
  MultiSelect,
  PasswordInput,
  Radio,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiKeysQuery, createApiKey } from '../../api/api-keys.js';
import { meQuery } from '../../api/people.js';
import { choice } from '../../app/search.js';
import { adviceOnPassword } from '../../components/advice.js';
import { FormFooter } from '../../components/form-footer.js';
import { KeyMade } from './key-made.js';

const PRESETS = ['read-only', 'read-write', 'read-write-ai', 'full'] as const;
const CUSTOM = 'custom';

/** Descriptions of the presets, beside their labels. */
const MEANINGS: Readonly<Record<(typeof PRESETS)[number], string>> = {
  'read-only': 'Read workflows, runs and other data of workspaces, except values of variables; no changes',
  'read-write': 'Also change workflows, folders, members and variables; stop and rerun runs',
  'read-write-ai': 'Also full control of workflows and runs, and the list of node types, for an AI agent',
  full: 'All scopes, within your role',
};

const SCOPES = [
  '*',
  EXECUTE_SCOPE,
  ...SCOPE_RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`, `${resource}:*`]),
];

/** Creates an API key. With Advanced closed, the key is read-only. */
export function CreateKey({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [made, setMade] = useState<CreatedApiKey | undefined>();
  const close = (): void => {
    setMade(undefined);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={made ? 'API key created' : 'New API key'}
      // A click outside must not close a dialog whose content is shown only once.
      closeOnClickOutside={made === undefined}
      closeButtonProps={{ 'aria-label': 'Close' }}
      size="lg"
    >
      {made ? <KeyMade made={made} onDone={close} /> : <KeyForm onMade={setMade} onCancel={close} />}
    </Modal>
  );
}

function KeyForm({ onMade, onCancel }: { onMade: (made: CreatedApiKey) => void; onCancel: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [saveAsCredential, setSaveAsCredential] = useState(true);
  const [isAdvanced, advanced] = useDisclosure(false);
  const [access, setAccess] = useState<string>('read-only');
  const [scopes, setScopes] = useState<string[]>([]);
  const [expiry, setExpiry] = useState('');
  const [boundTo, setBoundTo] = useState<string | null>(null);
  const me = useQuery(meQuery);
  const creation = useMutation({
    mutationFn: createApiKey,
    async onSuccess(key) {
      onMade(key);
      await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
    },
  });
  const submit = (): void => {
    const common: CreateApiKeyBody = { name, password, saveAsCredential };
    if (!isAdvanced) {
      creation.mutate(common);
      return;
    }
    const preset = choice(PRESETS, access);
    creation.mutate({
      ...common,
      ...(preset === undefined ? { scopes } : { preset }),
      ...(boundTo === null ? {} : { workspaceId: boundTo }),
      // The key is valid until the end of that day.
      ...(expiry === '' ? {} : { expiresAt: new Date(`${expiry}T23:59:59.999`).toISOString() }),
    });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          description="What the key is for"
          required
          maxLength={200}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label="Your password"
          description="Confirm your password"
          required
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Checkbox
          label="Also save as a credential for workflow nodes"
          checked={saveAsCredential}
          onChange={(event) => setSaveAsCredential(event.currentTarget.checked)}
        />
        <Button variant="subtle" size="compact-sm" w="fit-content" aria-expanded={isAdvanced} onClick={advanced.toggle}>
          {isAdvanced ? 'Close Advanced' : 'Advanced'}
        </Button>
        {!isAdvanced && (
          <Text size="sm" c="dimmed">
            The key will be Read-only and never expire.
          </Text>
        )}
        <Collapse expanded={isAdvanced}>
          <Stack>
            <Radio.Group label="Access" value={access} onChange={setAccess}>
              <Stack gap={8} mt={6}>
                {PRESETS.map((preset) => (
                  <Radio
                    key={preset}
                    value={preset}
                    label={SCOPE_PRESETS[preset].label}
                    description={MEANINGS[preset]}
                  />
                ))}
                <Radio value={CUSTOM} label="Custom" description="Only selected scopes" />
              </Stack>
            </Radio.Group>
            {access === CUSTOM && (
              <MultiSelect
                label="Scopes"
                description="Select at least one scope"
                searchable
                data={SCOPES}
                value={scopes}
                onChange={setScopes}
              />
            )}
            <Select
              label="Workspace"
              description="A bound key works in one workspace only"
              placeholder="All my workspaces"
              clearable
              data={
                me.data?.workspaces.map((workspace) => ({ value: workspace.workspaceId, label: workspace.name })) ?? []
              }
              value={boundTo}
              onChange={setBoundTo}
            />
            <TextInput
              label="Expires after"
              description="Leave empty for never"
              type="date"
              value={expiry}
              onChange={(event) => setExpiry(event.currentTarget.value)}
              maw={220}
            />
          </Stack>
        </Collapse>
        <FormFooter
          error={creation.error}
          advice={adviceOnPassword(creation.error)}
          submit="Create key"
          isPending={creation.isPending}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
