import type { CreatedApiKey } from '@deckhand/contracts';
import { Button, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiKeysQuery, rotateApiKey } from '../../api/api-keys.ts';
import { adviceOnPassword } from '../../components/advice.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { i18n } from '../../language/i18n.ts';
import { KeyMade } from './key-made.tsx';

/** Replaces an API key by a new one with the same rights. */
export function RotateKey({ id, name }: { id: string; name: string }) {
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
      <Modal
        opened={isOpen}
        onClose={close}
        title={made ? i18n.t('API key rotated') : i18n.t('Rotate the key "{name}"?', { name })}
        // A click outside must not close a dialog whose content is shown only once.
        closeOnClickOutside={made === undefined}
        closeButtonProps={{ 'aria-label': i18n.t('Close') }}
        size="lg"
      >
        {made ? <KeyMade made={made} onDone={close} /> : <Confirm id={id} onMade={setMade} onCancel={close} />}
      </Modal>
    </>
  );
}

function Confirm({
  id,
  onMade,
  onCancel,
}: {
  id: string;
  onMade: (made: CreatedApiKey) => void;
  onCancel: () => void;
}) {
  const queryClient = useQueryClient();
  const [password, setPassword] = useState('');
  const rotation = useMutation({
    mutationFn: () => rotateApiKey(id, { password }),
    async onSuccess(key) {
      onMade(key);
      await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rotation.mutate();
      }}
    >
      <Stack>
        <Text size="sm">
          {i18n.t('The new key has the same name, scopes and workspace. The old one stays valid for a day.')}
        </Text>
        <PasswordInput
          label={i18n.t('Your password')}
          description={i18n.t('Confirm your password')}
          required
          autoComplete="current-password"
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <FormFooter
          error={rotation.error}
          advice={adviceOnPassword(rotation.error)}
          submit={i18n.t('Rotate key')}
          isPending={rotation.isPending}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
