import type { PasskeyAssertion, PasskeyRequest } from '@deckhand/contracts';
import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { getPasskey } from '../../session/passkey.ts';

/** A proof of a second factor. */
export interface Proof {
  readonly code?: string;
  readonly recoveryCode?: string;
  readonly passkey?: PasskeyAssertion;
}

type Method = 'passkey' | 'code' | 'recoveryCode';

/** Asks for one of a person's second factors. @param act sends the proof. */
export function Prove({
  methods,
  passkeyRequest,
  submit,
  act,
}: {
  methods: readonly string[];
  passkeyRequest: PasskeyRequest | null;
  submit: string;
  act: (proof: Proof) => Promise<unknown>;
}) {
  const [chosen, choose] = useState<Method>();
  const [text, setText] = useState('');
  const proving = useMutation({
    mutationFn: async (proof: Proof | PasskeyRequest) =>
      act('challenge' in proof ? { passkey: await getPasskey(proof) } : proof),
  });
  const available = (['code', 'recoveryCode'] as const).filter((method) => methods.includes(method));
  const method = chosen ?? available[0];
  const others = available.filter((each) => each !== method);
  return (
    <Stack>
      {passkeyRequest && (
        <Button loading={proving.isPending} onClick={() => proving.mutate(passkeyRequest)}>
          {i18n.t('Use a passkey')}
        </Button>
      )}
      {method !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            proving.mutate(method === 'code' ? { code: text } : { recoveryCode: text });
          }}
        >
          <Stack>
            <TextInput
              key={method}
              label={method === 'code' ? i18n.t('Code of your authenticator app') : i18n.t('Recovery code')}
              description={method === 'code' ? i18n.t('Six digits') : i18n.t('Each works once')}
              autoComplete={method === 'code' ? 'one-time-code' : 'off'}
              inputMode={method === 'code' ? 'numeric' : 'text'}
              required
              data-autofocus
              autoFocus
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" variant={passkeyRequest ? 'default' : 'filled'} loading={proving.isPending}>
              {submit}
            </Button>
          </Stack>
        </form>
      )}
      <Problem error={proving.error} />
      {others.map((other) => (
        <Button
          key={other}
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          onClick={() => {
            choose(other);
            setText('');
          }}
        >
          {other === 'code' ? i18n.t('Use your authenticator app') : i18n.t('Use a recovery code')}
        </Button>
      ))}
    </Stack>
  );
}
