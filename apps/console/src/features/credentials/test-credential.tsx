import { type ConnectorEntry, type CredentialEntry, type CredentialTest, goesAnywhere } from '@deckhand/contracts';
import { Badge, Group, Select, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { connectorsQuery } from '../../api/connectors.ts';
import { credentialsQuery, testCredential } from '../../api/credentials.ts';
import { DialogForm } from '../../components/form-dialog.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';

/** A dialog that tests a credential, and shows the result. */
export function TestDialog({ credential, onClose }: { credential: CredentialEntry; onClose: () => void }) {
  const { id, workspaceId, name, type } = credential;
  const queryClient = useQueryClient();
  const [result, setResult] = useState(credential.lastTest);
  const isAnywhere = goesAnywhere(type);
  return (
    <Dialog title={i18n.t('Test "{name}"', { name })} onClose={onClose}>
      <DialogForm
        initial={NOWHERE}
        submit={i18n.t('Test')}
        canSubmit={({ connector, url }) => !isAnywhere || connector !== null || url !== ''}
        act={async ({ connector, url }) => {
          setResult(await testCredential(id, isAnywhere ? targetOf(connector, url) : {}));
          await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
        }}
        onCancel={onClose}
      >
        {({ field, text }) => (
          <>
            {isAnywhere ? (
              <>
                <ServiceSelect credential={credential} {...field('connector')} />
                <TextInput
                  label={i18n.t('Or an address')}
                  description={i18n.t('It is read with GET.')}
                  placeholder="https://api.example.com/me"
                  maxLength={2_000}
                  {...text('url')}
                />
              </>
            ) : (
              <Text size="sm">{i18n.t('Connects to its server, and changes nothing there.')}</Text>
            )}
            {result && <TestResult result={result} />}
          </>
        )}
      </DialogForm>
    </Dialog>
  );
}

/** What a test may be done with; an address counts only without a connector. */
interface Where {
  /** Its name and version, as `keyOf` writes them. */
  readonly connector: string | null;
  readonly url: string;
}

const NOWHERE: Where = { connector: null, url: '' };

function targetOf(connector: string | null, url: string) {
  if (connector === null) return { url };
  const [name = '', version = ''] = connector.split(' ');
  return { connector: name, version };
}

const keyOf = ({ name, version }: ConnectorEntry): string => `${name} ${version}`;

/** Selects a service that takes credentials of this type. */
function ServiceSelect({
  credential: { workspaceId, type },
  value,
  onChange,
}: {
  credential: CredentialEntry;
  value: string | null;
  onChange: (value: string | null) => void;
}) {
  const connectors = (useQuery(connectorsQuery(workspaceId)).data?.data ?? []).filter(
    ({ credentials }) => credentials.length === 0 || credentials.some((each) => each.type === type),
  );
  return (
    <Select
      label={i18n.t('Service')}
      searchable
      clearable
      data={connectors.map((each) => ({ value: keyOf(each), label: `${each.title} ${each.version}` }))}
      value={value}
      onChange={onChange}
    />
  );
}

/** The result of a test, with what the service said. */
function TestResult({ result: { ok, code, message, testedAt } }: { result: CredentialTest }) {
  return (
    <div role="status">
      <Group gap="xs">
        <TestBadge ok={ok} />
        <Text size="sm" c="dimmed">
          <RelativeTime at={testedAt} />
        </Text>
      </Group>
      {!ok && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {[code, message].filter((part) => part !== null).join(': ')}
        </Text>
      )}
    </div>
  );
}

/** Whether the last test succeeded. */
export function TestBadge({ ok }: Pick<CredentialTest, 'ok'>) {
  return (
    <Badge variant="light" color={ok ? 'green' : 'red'}>
      {ok ? i18n.t('Accepted') : i18n.t('Failed')}
    </Badge>
  );
}
