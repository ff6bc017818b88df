import { type Role, ROLES } from '@deckhand/contracts';
import { Button, Code, CopyButton, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createInvite, invitesQuery } from '../../api/members.js';
import { choice } from '../../app/search.js';
import { FormFooter } from '../../components/form-footer.js';

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
    <Modal opened={isOpen} onClose={close} title="Invite a person" closeButtonProps={{ 'aria-label': 'Close' }}>
      {link !== undefined ? (
        <Stack>
          <Text size="sm">Send this link. It is shown only once, and works once.</Text>
          <Code block aria-label="Link" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {link}
          </Code>
          <Group justify="flex-end">
            <CopyButton value={link}>
              {({ copied, copy }) => (
                <Button variant="default" onClick={copy}>
                  {copied ? 'Copied' : 'Copy'}
                </Button>
              )}
            </CopyButton>
            <Button onClick={close}>Done</Button>
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
              label="E-mail"
              description="Only this address can use the link. Leave empty for anyone with the link."
              type="email"
              data-autofocus
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <Select
              label="Role"
              allowDeselect={false}
              data={ROLES}
              value={role}
              onChange={(value) => setRole(choice(ROLES, value) ?? 'editor')}
            />
            <FormFooter
              error={creation.error}
              submit="Create invite link"
              isPending={creation.isPending}
              onCancel={close}
            />
          </Stack>
        </form>
      )}
    </Modal>
  );
}
