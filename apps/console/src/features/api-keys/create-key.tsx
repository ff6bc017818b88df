import {
  type CreateApiKeyBody,
  type CreatedApiKey,
  EXECUTE_SCOPE,
  type MeResponse,
  roleMay,
  SCOPE_PRESETS,
  SCOPE_RESOURCES,
} from '@deckhand/contracts';
import { Button, Checkbox, Collapse, MultiSelect, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiKeysQuery, createApiKey } from '../../api/api-keys.ts';
import { meQuery } from '../../api/people.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { choice } from '../../app/search.ts';
import { adviceOnPassword } from '../../components/advice.ts';
import { ConfirmPassword } from '../../components/confirm-password.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DialogForm, type Fields } from '../../components/form-dialog.tsx';
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
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={made ? i18n.t('API key created') : i18n.t('New API key')}
      isShownOnce={made !== undefined}
      size="lg"
    >
      {made ? <KeyMade made={made} onDone={close} /> : <KeyForm onMade={setMade} onCancel={close} />}
    </Dialog>
  );
}

type WorkspaceOfPerson = MeResponse['workspaces'][number];

/** What a key is created with. */
interface NewKey {
  readonly name: string;
  readonly password: string;
  readonly saveAsCredential: boolean;
  /** Whether what follows applies. */
  readonly isAdvanced: boolean;
  readonly access: string;
  readonly scopes: string[];
  /** A date; empty for a key that never expires. */
  readonly expiry: string;
  readonly boundTo: string | null;
}

const EMPTY: NewKey = {
  name: '',
  password: '',
  saveAsCredential: true,
  isAdvanced: false,
  access: 'read-only',
  scopes: [],
  expiry: '',
  boundTo: null,
};

function KeyForm({ onMade, onCancel }: { onMade: (made: CreatedApiKey) => void; onCancel: () => void }) {
  const queryClient = useQueryClient();
  const me = useQuery(meQuery);
  const { workspaceId } = useWorkspace();
  const workspaces = me.data?.workspaces ?? [];
  /** Returns the workspace that the credential would be in: a bound key is of use in its own only. */
  const targetOf = ({ boundTo }: NewKey): WorkspaceOfPerson | undefined =>
    workspaces.find((workspace) => workspace.workspaceId === (boundTo ?? workspaceId));
  return (
    <DialogForm
      initial={EMPTY}
      submit={i18n.t('Create key')}
      act={async (values) => {
        onMade(await createApiKey(bodyOf(values, targetOf(values))));
        await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
      }}
      adviceOn={adviceOnPassword}
      onCancel={onCancel}
    >
      {(fields) => <KeyFields {...fields} workspaces={workspaces} target={targetOf(fields.values)} />}
    </DialogForm>
  );
}

/** Whether the person may add a credential there. */
function canSave(target: WorkspaceOfPerson | undefined): boolean {
  return target !== undefined && roleMay(target.role, 'credentials.change');
}

function bodyOf(
  { name, password, saveAsCredential, isAdvanced, access, scopes, boundTo, expiry }: NewKey,
  target: WorkspaceOfPerson | undefined,
): CreateApiKeyBody {
  const credentialWorkspaceId = saveAsCredential && canSave(target) ? target?.workspaceId : undefined;
  const common: CreateApiKeyBody = {
    ...{ name, password, saveAsCredential: credentialWorkspaceId !== undefined },
    ...(credentialWorkspaceId !== undefined && { credentialWorkspaceId }),
  };
  if (!isAdvanced) return common;
  const preset = choice(PRESETS, access);
  return {
    ...common,
    ...(preset === undefined ? { scopes } : { preset }),
    ...(boundTo === null ? {} : { workspaceId: boundTo }),
    // The end of that day in UTC, as the API reads a date alone.
    ...(expiry === '' ? {} : { expiresAt: `${expiry}T23:59:59.999Z` }),
  };
}

function KeyFields({
  values: { saveAsCredential, isAdvanced, access },
  set,
  text,
  field,
  workspaces,
  target,
}: Fields<NewKey> & { workspaces: readonly WorkspaceOfPerson[]; target: WorkspaceOfPerson | undefined }) {
  return (
    <>
      <TextInput
        label={i18n.t('Name')}
        description={i18n.t('What the key is for')}
        required
        maxLength={200}
        data-autofocus
        {...text('name')}
      />
      <ConfirmPassword
        label={i18n.t('Your password')}
        description={i18n.t('Confirm your password')}
        {...text('password')}
      />
      <Checkbox
        label={i18n.t('Also save as a credential for workflow nodes')}
        description={
          target &&
          (canSave(target)
            ? i18n.t('In the workspace {name}', { name: target.name })
            : i18n.t('You cannot add credentials to {name}', { name: target.name }))
        }
        disabled={!canSave(target)}
        checked={saveAsCredential && canSave(target)}
        onChange={(event) => set({ saveAsCredential: event.currentTarget.checked })}
      />
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        aria-expanded={isAdvanced}
        onClick={() => set({ isAdvanced: !isAdvanced })}
      >
        {isAdvanced ? i18n.t('Close Advanced') : i18n.t('Advanced')}
      </Button>
      {!isAdvanced && (
        <Text size="sm" c="dimmed">
          {i18n.t('The key will be Read-only and never expire.')}
        </Text>
      )}
      <Collapse expanded={isAdvanced}>
        <Stack>
          <Radio.Group label={i18n.t('Access')} {...field('access')}>
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
              {...field('scopes')}
            />
          )}
          <Select
            label={i18n.t('Workspace')}
            description={i18n.t('A bound key works in one workspace only')}
            placeholder={i18n.t('All my workspaces')}
            clearable
            data={workspaces.map((workspace) => ({ value: workspace.workspaceId, label: workspace.name }))}
            {...field('boundTo')}
          />
          <TextInput
            label={i18n.t('Expires after')}
            description={i18n.t('Leave empty for never')}
            type="date"
            {...text('expiry')}
            maw={220}
          />
        </Stack>
      </Collapse>
    </>
  );
}
