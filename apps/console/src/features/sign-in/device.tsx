import type { ApproveDeviceBody } from '@deckhand/contracts';
import { Button, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { approveDevice, deviceQuery, meQuery } from '../../api/people.ts';
import { adviceOnPassword } from '../../components/advice.ts';
import { Broken } from '../../components/broken.tsx';
import { ConfirmPassword } from '../../components/confirm-password.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { FrontDoor } from './front-door.tsx';

/**
 * Allows a command-line client a key. Its id is in the URL's fragment, which no server and no log receives. The person
 * compares the code: somebody else may have sent the link.
 */
export function Device() {
  const id = useLocation().hash;
  const device = useQuery(deviceQuery(id));
  const me = useQuery(meQuery);
  const [workspaceId, setWorkspaceId] = useState<string | null>(null);
  const [password, setPassword] = useState('');
  const approval = useMutation({ mutationFn: (body: ApproveDeviceBody) => approveDevice(id, body) });
  const title = i18n.t('Sign in the command line');
  if (approval.isSuccess) {
    return (
      <FrontDoor title={title} lead={i18n.t('The command line is signed in. You can close this page.')}>
        <AnchorLink to="/">{i18n.t('To the console')}</AnchorLink>
      </FrontDoor>
    );
  }
  if (device.isError) return <Broken error={device.error} reset={() => void device.refetch()} />;
  if (!device.data || !me.data) return <Loading />;
  const { code, name, address } = device.data;
  const workspaces = me.data.workspaces.map((entry) => ({ value: entry.workspaceId, label: entry.name }));
  const chosen = workspaceId ?? workspaces[0]?.value;
  return (
    <FrontDoor title={title} lead={i18n.t('{name}, from the address {address}, asks for access.', { name, address })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen !== undefined) approval.mutate({ workspaceId: chosen, password });
        }}
      >
        <Stack>
          <Text ff="monospace" fw={600} size="xl" ta="center" aria-label={i18n.t('Code')}>
            {code}
          </Text>
          <Text size="sm">
            {i18n.t(
              'Continue only if you started this yourself and your terminal shows the same code. It gets a key that acts as you in the workspace, for 90 days.',
            )}
          </Text>
          <Select
            label={i18n.t('Workspace')}
            data={workspaces}
            value={chosen ?? null}
            allowDeselect={false}
            onChange={setWorkspaceId}
          />
          <ConfirmPassword
            label={i18n.t('Password')}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Problem error={approval.error} advice={adviceOnPassword(approval.error)} />
          <Button type="submit" loading={approval.isPending} disabled={chosen === undefined}>
            {i18n.t('Allow')}
          </Button>
          <AnchorLink to="/" size="sm">
            {i18n.t('Cancel')}
          </AnchorLink>
        </Stack>
      </form>
    </FrontDoor>
  );
}
