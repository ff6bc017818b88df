import type { PendingSignIn } from '@deckhand/contracts';
import { Button } from '@mantine/core';
import { finishSignIn } from '../../api/people.ts';
import { i18n } from '../../language/i18n.ts';
import { beginSession } from '../../session/store.ts';
import { FrontDoor } from './front-door.tsx';
import { Prove } from './prove.tsx';

/** The second step of a sign-in. @param onSignedIn called once there is a session. */
export function SecondStep({
  pending: { state, methods, passkeyRequest },
  onSignedIn,
  onBack,
}: {
  pending: PendingSignIn;
  onSignedIn?: () => void;
  onBack: () => void;
}) {
  return (
    <FrontDoor title={i18n.t('Confirm that it is you')} lead={i18n.t('Your account has a second factor.')}>
      <Prove
        methods={methods}
        passkeyRequest={passkeyRequest}
        submit={i18n.t('Sign in')}
        act={async (proof) => {
          beginSession(await finishSignIn({ state, ...proof }));
          onSignedIn?.();
        }}
      />
      <Button variant="subtle" size="compact-sm" w="fit-content" onClick={onBack}>
        {i18n.t('Back to the sign-in')}
      </Button>
    </FrontDoor>
  );
}
