import type { SecondFactors as Factors, StartedAuthenticator } from '@deckhand/contracts';
import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { sessionsQuery } from '../../api/people.ts';
import {
  addPasskey,
  removeAuthenticator,
  removePasskey,
  replaceRecoveryCodes,
  secondFactorsQuery,
  startAuthenticator,
  startPasskey,
} from '../../api/second-factors.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';
import { createPasskey } from '../../session/passkey.ts';
import { AddAuthenticator } from './add-authenticator.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/** The person's second factors: adds and removes them. */
export function SecondFactors() {
  const queryClient = useQueryClient();
  const query = useQuery(secondFactorsQuery);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [started, setStarted] = useState<StartedAuthenticator>();
  const [isNaming, naming] = useDisclosure(false);
  const start = useMutation({ mutationFn: startAuthenticator, onSuccess: setStarted });
  const refresh = async (recoveryCodes: readonly string[] | null = null): Promise<void> => {
    setCodes(recoveryCodes);
    await queryClient.invalidateQueries({ queryKey: secondFactorsQuery.queryKey });
    await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  const factors = query.data;
  return (
    <Stack gap="sm" mt="xl">
      <Title order={2} size="h4">
        {i18n.t('Second factors')}
      </Title>
      <Text size="sm" c="dimmed">
        {i18n.t('Asked for after your password. A passkey also signs you in without the password.')}
      </Text>
      <Problem error={query.error} />
      {factors?.isRequired === true && (
        <Alert color="yellow" title={i18n.t('This instance requires a second factor')}>
          {i18n.t('Add one to go on.')}
        </Alert>
      )}
      {factors && <FactorList factors={factors} onChanged={refresh} />}
      <Group>
        <Button variant="default" onClick={naming.open}>
          {i18n.t('Add a passkey')}
        </Button>
        {factors?.authenticator === null && (
          <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
            {i18n.t('Add an authenticator app')}
          </Button>
        )}
      </Group>
      <Problem error={start.error} />
      {isNaming && (
        <FormDialog
          title={i18n.t('Add a passkey')}
          initial={{ name: '' }}
          submit={i18n.t('Continue')}
          act={async ({ name }) => {
            const { state, options } = await startPasskey();
            const added = await addPasskey({ state, name, passkey: await createPasskey(options) });
            await refresh(added.recoveryCodes);
          }}
          onClose={naming.close}
        >
          {({ text }) => (
            <TextInput
              label={i18n.t('Name')}
              description={i18n.t('Such as the name of the device')}
              required
              maxLength={200}
              data-autofocus
              {...text('name')}
            />
          )}
        </FormDialog>
      )}
      {started && <AddAuthenticator started={started} onAdded={refresh} onClose={() => setStarted(undefined)} />}
      {codes && <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />}
    </Stack>
  );
}

function FactorList({
  factors: { authenticator, passkeys, recoveryCodesLeft },
  onChanged,
}: {
  factors: Factors;
  onChanged: (recoveryCodes?: readonly string[] | null) => Promise<void>;
}) {
  const consequence = i18n.t('You cannot sign in with it any more.');
  if (!authenticator && passkeys.length === 0) return <Text size="sm">{i18n.t('You have none.')}</Text>;
  return (
    <Stack gap={6} component="ul" m={0} p={0}>
      {passkeys.map(({ id, name, lastUsedAt, createdAt }) => (
        <Factor key={id} label={i18n.t('Passkey {name}', { name })} usedAt={lastUsedAt ?? createdAt}>
          <ConfirmButton
            label={i18n.t('Remove')}
            of={i18n.t('the passkey {name}', { name })}
            question={i18n.t('Remove the passkey "{name}"?', { name })}
            consequence={consequence}
            act={async () => {
              await removePasskey(id);
              await onChanged();
            }}
          />
        </Factor>
      ))}
      {authenticator && (
        <Factor label={i18n.t('Authenticator app')} usedAt={authenticator.lastUsedAt ?? authenticator.createdAt}>
          <ConfirmButton
            label={i18n.t('Remove')}
            of={i18n.t('the authenticator app')}
            question={i18n.t('Remove the authenticator app?')}
            consequence={consequence}
            act={async () => {
              await removeAuthenticator();
              await onChanged();
            }}
          />
        </Factor>
      )}
      <Factor label={i18n.t('{count} recovery codes are left', { count: recoveryCodesLeft })}>
        <ConfirmButton
          label={i18n.t('Replace')}
          of={i18n.t('the recovery codes')}
          question={i18n.t('Replace the recovery codes?')}
          consequence={i18n.t('The former codes end.')}
          act={async () => onChanged((await replaceRecoveryCodes()).recoveryCodes)}
        />
      </Factor>
    </Stack>
  );
}

function Factor({ label, usedAt, children }: { label: string; usedAt?: string; children: ReactNode }) {
  return (
    <Group component="li" gap="md" wrap="nowrap" style={{ listStyle: 'none' }}>
      <Text size="sm" flex={1}>
        {label}
      </Text>
      {usedAt !== undefined && <RelativeTime at={usedAt} />}
      {children}
    </Group>
  );
}
