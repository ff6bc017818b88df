import type { CreatedApiKey } from '@deckhand/contracts';
import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiKeysQuery, rotateApiKey } from '../../api/api-keys.ts';
import { adviceOnPassword } from '../../components/advice.ts';
import { ConfirmPassword } from '../../components/confirm-password.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DialogForm } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';
import { KeyMade } from './key-made.tsx';

/** Replaces an API key by a new one with the same rights. */
export function RotateKey({ id, name }: { id: string; name: string }) {
  const queryClient = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const [made, setMade] = useState<CreatedApiKey>();
  const close = (): void => {
    setMade(undefined);
    dialog.close();
  };
  return (
    <>
      <Button variant="default" size="compact-sm" aria-label={i18n.t('Rotate {name}', { name })} onClick={dialog.open}>
        {i18n.t('Rotate')}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={made ? i18n.t('API key rotated') : i18n.t('Rotate the key "{name}"?', { name })}
        isShownOnce={made !== undefined}
        size="lg"
      >
        {made ? (
          <KeyMade made={made} onDone={close} />
        ) : (
          <DialogForm
            initial={{ password: '' }}
            submit={i18n.t('Rotate key')}
            act={async ({ password }) => {
              setMade(await rotateApiKey(id, { password }));
              await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
            }}
            adviceOn={adviceOnPassword}
            onCancel={close}
          >
            {({ text }) => (
              <>
                <Text size="sm">
                  {i18n.t('The new key has the same name, scopes and workspace. The old one stays valid for a day.')}
                </Text>
                <ConfirmPassword
                  label={i18n.t('Your password')}
                  description={i18n.t('Confirm your password')}
                  data-autofocus
                  {...text('password')}
                />
              </>
            )}
          </DialogForm>
        )}
      </Dialog>
    </>
  );
}
