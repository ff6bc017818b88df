import {
  CREDENTIAL_VISIBILITIES,
  type CredentialEntry,
  type CredentialType,
  type JsonObject,
  SECRET_PLACEHOLDER,
  type UpdateCredentialBody,
} from '@deckhand/contracts';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { credentialsQuery, updateCredential } from '../../api/credentials.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';
import { SecretFields, secretOf, UseFields } from './create-credential.tsx';

/** What may change of a credential. */
interface Edited {
  readonly name: string;
  readonly isReplaced: boolean;
  readonly secret: JsonObject;
  readonly visibility: CredentialEntry['visibility'];
  readonly hosts: string[];
}

/**
 * Changes the name and the secret of a credential, in place: nodes that use it keep it.
 * @param mayLimit whether the person may also change who uses it, and where
 * @param onTest closes it, and opens the test of the credential
 */
export function EditCredential({
  credential,
  mayLimit,
  onTest,
  onClose,
}: {
  credential: CredentialEntry;
  mayLimit: boolean;
  onTest: () => void;
  onClose: () => void;
}) {
  const { id, workspaceId, name, type, visibility, allowedHosts, connection } = credential;
  const queryClient = useQueryClient();
  const initial: Edited = {
    name,
    isReplaced: false,
    secret:
      type === 'bearer' ? { token: SECRET_PLACEHOLDER } : type === 'oauth2' ? { grant: connection?.grant ?? null } : {},
    visibility,
    hosts: allowedHosts ?? [],
  };
  return (
    <FormDialog
      title={i18n.t('Edit "{name}"', { name })}
      initial={initial}
      submit={i18n.t('Save')}
      act={async (edited) => {
        const changes = changesOf(credential, edited);
        if (Object.keys(changes).length > 0) await updateCredential(id, changes);
        await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
      }}
      onClose={onClose}
    >
      {({ values: { isReplaced }, set, text, field, choice }) => (
        <>
          <TextInput label={i18n.t('Name')} required maxLength={200} data-autofocus {...text('name')} />
          {mayLimit && <UseFields visibility={choice('visibility', CREDENTIAL_VISIBILITIES)} hosts={field('hosts')} />}
          <Checkbox
            label={i18n.t('Replace the secret')}
            description={describeReplacing(type)}
            checked={isReplaced}
            onChange={(event) => set({ isReplaced: event.currentTarget.checked })}
          />
          {isReplaced ? (
            <SecretFields type={type} {...field('secret')} />
          ) : (
            <Button variant="default" onClick={onTest}>
              {i18n.t('Test the stored secret')}
            </Button>
          )}
        </>
      )}
    </FormDialog>
  );
}

function describeReplacing(type: CredentialType): string {
  if (type === 'bearer')
    return i18n.t('Nodes use the new one at once. {masked} keeps the token.', { masked: SECRET_PLACEHOLDER });
  return type === 'oauth2'
    ? i18n.t('Fill in all fields again, and connect it again: its connection ends.')
    : i18n.t('Nodes use the new one at once. Fill in all fields again, because the old one is never shown.');
}

/** Returns what differs from the credential, because only some people may change some of it. */
function changesOf({ name, type, visibility, allowedHosts }: CredentialEntry, edited: Edited): UpdateCredentialBody {
  const hosts = edited.hosts.length > 0 ? edited.hosts : null;
  return {
    ...(edited.name !== name && { name: edited.name }),
    ...(edited.visibility !== visibility && { visibility: edited.visibility }),
    ...(JSON.stringify(hosts) !== JSON.stringify(allowedHosts) && { allowedHosts: hosts }),
    ...(edited.isReplaced && { secret: secretOf(type, edited.secret) }),
  };
}
