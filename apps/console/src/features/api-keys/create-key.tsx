import {
  type CreateApiKeyBody,
  type CreatedApiKey,
  EXECUTE_SCOPE,
  hasRole,
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
import { apiKeysQuery, createApiKey } from '../../api/api-keys.ts';
import { meQuery } from '../../api/people.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { choice } from '../../app/search.ts';
import { adviceOnPassword } from '../../components/advice.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { i18n } from '../../language/i18n.ts';
import { ACCESS, KeyMade } from './key-made.tsx';

const PRESETS = ['read-only', 'read-write', 'read-write-ai', 'full'] as const;
const CUSTOM = 'custom';

/** Descriptions of the presets, beside their labels. */
const MEANINGS: Readonly<Record<(typeof PRESETS)[number], string>> = {
  'read-only': i18n.t('Read workflows, runs and other data of workspaces, except values of variables; no changes'),
  'read-write': i18n.t('Also change workflows, folders, members and variables; stop and rerun runs'),
  'read-write-ai': i18n.t('Also full control of workflows and runs, and the list of node types, for an AI agent'),
  full: i18n.t('All scopes, within your role'),
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
      title={made ? i18n.t('API key created') : i18n.t('New API key')}
      // A click outside must not close a dialog whose content is shown only once.
      closeOnClickOutside={made === undefined}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
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
  const { workspaceId } = useWorkspace();
  const workspaces = me.data?.workspaces ?? [];
  // A bound key is of use in its own workspace only.
  const target = workspaces.find((workspace) => workspace.workspaceId === (boundTo ?? workspaceId));
  const canSave = target !== undefined && hasRole(target.role, 'editor');
  const isSaved = saveAsCredential && canSave;
  const creation = useMutation({
    mutationFn: createApiKey,
    async onSuccess(key) {
      onMade(key);
      await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
    },
  });
  const submit = (): void => {
    const common: CreateApiKeyBody = {
      ...{ name, password, saveAsCredential: isSaved },
      ...(isSaved && { credentialWorkspaceId: target.workspaceId }),
    };
    if (!isAdvanced) {
      creation.mutate(common);
      return;
    }
    const preset = choice(PRESETS, access);
    creation.mutate({
      ...common,
      ...(preset === undefined ? { scopes } : { preset }),
      ...(boundTo === null ? {} : { workspaceId: boundTo }),
      // The end of that day in UTC, as the API reads a date alone.
      ...(expiry === '' ? {} : { expiresAt: `${expiry}T23:59:59.999Z` }),
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
          label={i18n.t('Name')}
          description={i18n.t('What the key is for')}
          required
          maxLength={200}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label={i18n.t('Your password')}
          description={i18n.t('Confirm your password')}
          required
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Checkbox
          label={i18n.t('Also save as a credential for workflow nodes')}
          description={
            target &&
            (canSave
              ? i18n.t('In the workspace {name}', { name: target.name })
              : i18n.t('You cannot add credentials to {name}', { name: target.name }))
          }
          disabled={!canSave}
          checked={isSaved}
          onChange={(event) => setSaveAsCredential(event.currentTarget.checked)}
        />
        <Button variant="subtle" size="compact-sm" w="fit-content" aria-expanded={isAdvanced} onClick={advanced.toggle}>
          {isAdvanced ? i18n.t('Close Advanced') : i18n.t('Advanced')}
        </Button>
        {!isAdvanced && (
          <Text size="sm" c="dimmed">
            {i18n.t('The key will be Read-only and never expire.')}
          </Text>
        )}
        <Collapse expanded={isAdvanced}>
          <Stack>
            <Radio.Group label={i18n.t('Access')} value={access} onChange={setAccess}>
              <Stack gap={8} mt={6}>
                {PRESETS.map((preset) => (
                  <Radio
                    key={preset}
                    value={preset}
                    label={ACCESS[SCOPE_PRESETS[preset].label]}
                    description={MEANINGS[preset]}
                  />
                ))}
                <Radio value={CUSTOM} label={i18n.t('Custom')} description={i18n.t('Only selected scopes')} />
              </Stack>
            </Radio.Group>
            {access === CUSTOM && (
              <MultiSelect
                label={i18n.t('Scopes')}
                description={i18n.t('Select at least one scope')}
                searchable
                data={SCOPES}
                value={scopes}
                onChange={setScopes}
              />
            )}
            <Select
              label={i18n.t('Workspace')}
              description={i18n.t('A bound key works in one workspace only')}
              placeholder={i18n.t('All my workspaces')}
              clearable
              data={workspaces.map((workspace) => ({ value: workspace.workspaceId, label: workspace.name }))}
              value={boundTo}
              onChange={setBoundTo}
            />
            <TextInput
              label={i18n.t('Expires after')}
              description={i18n.t('Leave empty for never')}
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
          submit={i18n.t('Create key')}
          isPending={creation.isPending}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
