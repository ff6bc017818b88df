import {
  CREDENTIAL_SECRETS,
  CREDENTIAL_TYPES,
  CREDENTIAL_VISIBILITIES,
  type CredentialType,
  LIMITED_CREDENTIAL_TYPES,
  type JsonObject,
  OAUTH2_GRANTS,
  OAUTH2_MEMBERS,
  parseOwnJson,
} from '@deckhand/contracts';
import { Radio, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { createCredential, credentialsQuery, type Traffic } from '../../api/credentials.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { type Fields, FormDialog } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';
import { redirectUrl } from './connection.tsx';
import { TrafficFields } from './traffic-fields.tsx';

/** The types of credentials, in words. */
export const TYPE_LABELS: Readonly<Record<CredentialType, string>> = {
  apiKey: i18n.t('API key in a header'),
  basic: i18n.t('User name and password'),
  bearer: i18n.t('Bearer token'),
  header: i18n.t('Custom header'),
  model: i18n.t('Language model'),
  oauth2: 'OAuth 2.0',
  postgres: 'PostgreSQL',
  s3: i18n.t('S3 bucket'),
  sftp: i18n.t('SFTP server'),
  smtp: i18n.t('SMTP server'),
};

/** What a credential is created with. */
interface NewCredential {
  readonly name: string;
  readonly type: CredentialType;
  readonly secret: JsonObject;
  readonly visibility: (typeof CREDENTIAL_VISIBILITIES)[number];
  readonly hosts: string[];
  readonly traffic: Traffic;
}

const EMPTY: NewCredential = {
  name: '',
  type: 'bearer',
  secret: {},
  visibility: 'shared',
  hosts: [],
  traffic: { rateLimit: null, circuit: null },
};

/** Creates a credential. */
export function CreateCredential({ workspaceId, onClose }: { workspaceId: string; onClose: () => void }) {
  const queryClient = useQueryClient();
  return (
    <FormDialog
      title={i18n.t('New credential')}
      initial={EMPTY}
      submit={i18n.t('Save')}
      act={async ({ name, type, secret, visibility, hosts, traffic }) => {
        await createCredential({
          workspaceId,
          name,
          type,
          secret: secretOf(type, secret),
          visibility,
          ...(hosts.length > 0 ? { allowedHosts: hosts } : {}),
          ...(isLimited(type) && traffic),
        });
        await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
      }}
      onClose={onClose}
    >
      {(fields) => <CredentialFields {...fields} />}
    </FormDialog>
  );
}

/** The fields of a secret. */
export function SecretFields({
  type,
  value,
  onChange,
}: {
  type: CredentialType;
  value: JsonObject;
  onChange: (secret: JsonObject) => void;
}) {
  const schema = useMemo(() => parseOwnJson<JsonObject>(JSON.stringify(CREDENTIAL_SECRETS[type])), [type]);
  return (
    <>
      {type === 'oauth2' && (
        <Stack gap={4}>
          <Text size="sm">{i18n.t('Register this redirect URL with the provider:')}</Text>
          <CopyText label={i18n.t('Redirect URL')} text={redirectUrl()} />
        </Stack>
      )}
      <SchemaForm
        schema={schema}
        {...(type === 'oauth2' && { shownFor: SHOWN_FOR })}
        value={value}
        onChange={onChange}
      />
    </>
  );
}

/** The fields of who may use a credential, and where. */
export function UseFields({
  visibility,
  hosts,
}: {
  visibility: { readonly value: string; readonly onChange: (value: string) => void };
  hosts: { readonly value: string[]; readonly onChange: (hosts: string[]) => void };
}) {
  return (
    <>
      <Radio.Group label={i18n.t('Shared with')} {...visibility}>
        <Stack gap={8} mt={6}>
          <Radio value="shared" label={i18n.t('Everyone')} description={i18n.t('In every workflow of the workspace')} />
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
        {...hosts}
      />
    </>
  );
}

function CredentialFields({ values: { type, traffic }, set, text, field, choice }: Fields<NewCredential>) {
  const types = choice('type', CREDENTIAL_TYPES);
  return (
    <>
      <TextInput label={i18n.t('Name')} required maxLength={200} data-autofocus {...text('name')} />
      <Select
        label={i18n.t('Type')}
        allowDeselect={false}
        data={CREDENTIAL_TYPES.map((value) => ({ value, label: TYPE_LABELS[value] }))}
        value={types.value}
        onChange={(value) => {
          types.onChange(value);
          set({ secret: value === 'oauth2' ? { grant: 'authorizationCode' } : {} });
        }}
      />
      <SecretFields type={type} {...field('secret')} />
      <UseFields visibility={choice('visibility', CREDENTIAL_VISIBILITIES)} hosts={field('hosts')} />
      {isLimited(type) && <TrafficFields traffic={traffic} onChange={(next) => set({ traffic: next })} />}
    </>
  );
}

/** The members of an OAuth 2.0 secret that only some grants have, as a form shows them. */
const SHOWN_FOR = Object.fromEntries(
  Object.keys(CREDENTIAL_SECRETS.oauth2.properties).flatMap((name) => {
    const grants = OAUTH2_GRANTS.filter((grant) => membersOf(grant).includes(name));
    return grants.length === OAUTH2_GRANTS.length ? [] : [[name, { grant: grants }]];
  }),
);

function membersOf(grant: (typeof OAUTH2_GRANTS)[number]): readonly string[] {
  const { needed, optional } = OAUTH2_MEMBERS[grant];
  return ['grant', ...needed, ...optional];
}

/** Returns a secret as the API takes it: of OAuth 2.0, without what was filled in for another grant. */
export function secretOf(type: CredentialType, secret: JsonObject): JsonObject {
  if (type !== 'oauth2') return secret;
  const grant = OAUTH2_GRANTS.find((one) => one === secret.grant);
  if (grant === undefined) return secret;
  const names = membersOf(grant);
  return Object.fromEntries(Object.entries(secret).filter(([name]) => names.includes(name)));
}

const isLimited = (type: CredentialType): boolean => LIMITED_CREDENTIAL_TYPES.includes(type);
