import { type Role, ROLES } from '@deckhand/contracts';
import { Button, Code, CopyButton, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createInvite, invitesQuery } from '../../api/members.ts';
import { choice } from '../../app/search.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { i18n } from '../../language/i18n.ts';

/** What people read for a role. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  viewer: i18n.t({ id: 'role: viewer', message: 'viewer' }),
  editor: i18n.t({ id: 'role: editor', message: 'editor' }),
  admin: i18n.t({ id: 'role: admin', message: 'admin' }),
  owner: i18n.t({ id: 'role: owner', message: 'owner' }),
};

/** Creates an invite link, which is shown once. */
export function CreateInvite({
  workspaceId,
  isOpen,
  onClose,
}: {
  workspaceId: string;
  isOpen: boolean;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const creation = useMutation({
    mutationFn: () => createInvite(workspaceId, { role, email: email === '' ? null : email }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: invitesQuery(workspaceId).queryKey }),
  });
  const close = (): void => {
    creation.reset();
    onClose();
  };
  // The token is in the URL's fragment, which is sent to no server.
  const link = creation.data && `${window.location.origin}/invite#${creation.data.token}`;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={i18n.t('Invite a person')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      {link !== undefined ? (
        <Stack>
          <Text size="sm">{i18n.t('Send this link. It is shown only once, and works once.')}</Text>
          <Code block aria-label={i18n.t('Link')} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {link}
          </Code>
          <Group justify="flex-end">
            <CopyButton value={link}>
              {({ copied, copy }) => (
                <Button variant="default" onClick={copy}>
                  {copied ? i18n.t('Copied') : i18n.t('Copy')}
                </Button>
              )}
            </CopyButton>
            <Button onClick={close}>{i18n.t({ id: 'button: Done', message: 'Done' })}</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            creation.mutate();
          }}
        >
          <Stack>
            <TextInput
              label={i18n.t('E-mail')}
              description={i18n.t('Only this address can use the link. Leave empty for anyone with the link.')}
              type="email"
              data-autofocus
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <Select
              label={i18n.t('Role')}
              allowDeselect={false}
              data={ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
              value={role}
              onChange={(value) => setRole(choice(ROLES, value) ?? 'editor')}
            />
            <FormFooter
              error={creation.error}
              submit={i18n.t('Create invite link')}
              isPending={creation.isPending}
              onCancel={close}
            />
          </Stack>
        </form>
      )}
    </Modal>
  );
}
