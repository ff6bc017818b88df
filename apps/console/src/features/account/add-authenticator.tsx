import type { StartedAuthenticator } from '@deckhand/contracts';
import { Stack, Text, TextInput } from '@mantine/core';
import { confirmAuthenticator } from '../../api/second-factors.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';
import { QrCode } from './qr-code.tsx';

/** Adds an authenticator app: shows its secret, and takes a code of it. */
export function AddAuthenticator({
  started: { secret, uri },
  onAdded,
  onClose,
}: {
  started: StartedAuthenticator;
  onAdded: (recoveryCodes: readonly string[] | null) => Promise<void>;
  onClose: () => void;
}) {
  return (
    <FormDialog
      title={i18n.t('Add an authenticator app')}
      initial={{ code: '' }}
      submit={i18n.t('Add')}
      act={async ({ code }) => onAdded((await confirmAuthenticator(code)).recoveryCodes)}
      adviceOn={() => undefined}
      onClose={onClose}
    >
      {({ text }) => (
        <Stack>
          <Text size="sm">
            {i18n.t('Scan this with the app, or copy the secret into it. Then enter the code that it shows.')}
          </Text>
          <QrCode text={uri} label={i18n.t('QR code of the secret')} />
          <CopyText label={i18n.t('Secret')} text={secret} />
          <TextInput
            label={i18n.t('Code of your authenticator app')}
            description={i18n.t('Six digits')}
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            data-autofocus
            {...text('code')}
          />
        </Stack>
      )}
    </FormDialog>
  );
}
