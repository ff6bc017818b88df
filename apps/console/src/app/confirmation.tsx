import { lazy, Suspense, useSyncExternalStore } from 'react';
import { isAskedToConfirm, watchConfirmation } from '../session/confirmation.ts';

const ConfirmIdentity = lazy(() =>
  import('../features/account/confirm-identity.tsx').then((module) => ({ default: module.ConfirmIdentity })),
);

/** Shows the dialog by which a person confirms who they are, whenever a request needs it. */
export function Confirmation() {
  const isAsked = useSyncExternalStore(watchConfirmation, isAskedToConfirm);
  return isAsked ? (
    <Suspense>
      <ConfirmIdentity />
    </Suspense>
  ) : null;
}
