import { Button, Divider } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { finishSignIn, signInMethodsQuery, startPasskeySignIn, startSignOn } from '../../api/people.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { getPasskey } from '../../session/passkey.ts';
import { beginSession } from '../../session/store.ts';

/** Other ways to sign in than by a password, if the instance has them. */
export function OtherMethods() {
  const methods = useQuery(signInMethodsQuery).data;
  const { next } = useSearch({ strict: false });
  const start = useMutation({
    mutationFn: () => startSignOn(next === undefined ? {} : { next }),
    onSuccess: ({ authorizationUrl }) => void window.open(authorizationUrl, '_self'),
  });
  const passkey = useMutation({
    mutationFn: async () => {
      const { state, passkeyRequest } = await startPasskeySignIn();
      if (passkeyRequest) beginSession(await finishSignIn({ state, passkey: await getPasskey(passkeyRequest) }));
    },
  });
  return (
    <>
      <Button variant="subtle" loading={passkey.isPending} onClick={() => passkey.mutate()}>
        {i18n.t('Use a passkey')}
      </Button>
      <Problem error={passkey.error} />
      {methods?.passwordReset === true && (
        <AnchorLink to="/forgot-password" size="sm">
          {i18n.t('Forgot your password?')}
        </AnchorLink>
      )}
      {methods?.singleSignOn && (
        <>
          <Divider label={i18n.t('or')} />
          <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
            {methods.singleSignOn.label}
          </Button>
          <Problem error={start.error} />
        </>
      )}
    </>
  );
}
