import { type Role, ROLES } from '@deckhand/contracts';
import { Button, Code, CopyButton, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createInvite, invitesQuery } from '../../api/members.ts';
import { Dialog } from '../../components/dialog.tsx';
import { DialogForm } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';

/** What people read for a role. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  approver: i18n.t({ id: 'role: approver', message: 'approver' }),
  viewer: i18n.t({ id: 'role: viewer', message: 'viewer' }),
  operator: i18n.t({ id: 'role: operator', message: 'operator' }),
  publisher: i18n.t({ id: 'role: publisher', message: 'publisher' }),
  author: i18n.t({ id: 'role: author', message: 'author' }),
  editor: i18n.t({ id: 'role: editor', message: 'editor' }),
  admin: i18n.t({ id: 'role: admin', message: 'admin' }),
  owner: i18n.t({ id: 'role: owner', message: 'owner' }),
};

/** What a role may do, in a sentence. */
const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  approver: i18n.t('Answers approvals and forms, and sees nothing else.'),
  viewer: i18n.t('Reads workflows and runs.'),
  operator: i18n.t('Reads everything, and starts, stops and re-runs.'),
  publisher: i18n.t('Operates, and decides which saved versions are active.'),
  author: i18n.t('Operates and edits workflows, and publishes nothing.'),
  editor: i18n.t('Edits, publishes and runs workflows, and answers approvals.'),
  admin: i18n.t('Edits everything, and manages members and settings.'),
  owner: i18n.t('May do everything, including deleting the workspace.'),
};

const EMPTY: { readonly email: string; readonly role: Role } = { email: '', role: 'editor' };

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
  const [token, setToken] = useState<string>();
  const close = (): void => {
    setToken(undefined);
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} onClose={close} title={i18n.t('Invite a person')}>
      {token !== undefined ? (
        <InviteLink token={token} onDone={close} />
      ) : (
        <DialogForm
          initial={EMPTY}
          submit={i18n.t('Create invite link')}
          act={async ({ email, role }) => {
            const invite = await createInvite(workspaceId, { role, email: email === '' ? null : email });
            await queryClient.invalidateQueries({ queryKey: invitesQuery(workspaceId).queryKey });
            setToken(invite.token);
          }}
          onCancel={close}
        >
          {({ text, choice, values }) => (
            <>
              <TextInput
                label={i18n.t('E-mail')}
                description={i18n.t('Only this address can use the link. Leave empty for anyone with the link.')}
                type="email"
                data-autofocus
                {...text('email')}
              />
              <Select
                label={i18n.t('Role')}
                description={ROLE_TEXTS[values.role]}
                allowDeselect={false}
                data={ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
                {...choice('role', ROLES)}
              />
            </>
          )}
        </DialogForm>
      )}
    </Dialog>
  );
}

function InviteLink({ token, onDone }: { token: string; onDone: () => void }) {
  // The token is in the URL's fragment, which is sent to no server.
  const link = `${window.location.origin}/invite#${token}`;
  return (
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
        <Button onClick={onDone}>{i18n.t({ id: 'button: Done', message: 'Done' })}</Button>
      </Group>
    </Stack>
  );
}
