import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { meQuery } from '../api/people.ts';
import { Broken } from '../components/broken.tsx';
import { Loading } from '../components/loading.tsx';
import { i18n } from '../language/i18n.ts';
import { forgetEditsOfOthers } from '../features/editor/saving/kept-edit.ts';
import { useSession } from '../session/use-session.ts';
import { rememberWorkspace } from './last-workspace.ts';
import { CollapseButton } from './collapse-button.tsx';
import { Commands } from './commands.tsx';
import { Navigation } from './navigation.tsx';
import { PersonMenu } from './person-menu.tsx';
import { SchemeSwitch } from './scheme-switch.tsx';
import classes from './shell.module.css';
import { useCollapsed } from './use-collapsed.ts';
import { WorkspaceSwitch } from './workspace-switch.tsx';

const PRODUCT = 'Deckhand';

/** The frame of every page of a workspace. Without a session, it redirects to the sign-in page, and back afterwards. */
export function Shell() {
  const session = useSession();
  const { pathname } = useLocation();
  const { workspaceId = '' } = useParams({ strict: false });
  const me = useQuery({ ...meQuery, enabled: session !== undefined });
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { isCollapsed, isWide, toggle: toggleCollapsed } = useCollapsed();
  useEffect(close, [pathname, close]);
  useEffect(() => rememberWorkspace(workspaceId), [workspaceId]);
  const userId = me.data?.user.id;
  useEffect(() => {
    if (userId !== undefined) forgetEditsOfOthers(userId);
  }, [userId]);
  if (me.isError && !me.data) return <Broken error={me.error} reset={() => void me.refetch()} />;
  if (!me.data) return <Loading />;
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: isCollapsed ? 56 : 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'lg' }}
    >
      <a href="#content" className={classes.skip}>
        {i18n.t('Skip to the content')}
      </a>
      <AppShell.Header className={classes.bar}>
        <Burger
          opened={isOpen}
          onClick={toggle}
          hiddenFrom="sm"
          size="sm"
          aria-label={isOpen ? i18n.t('Close the navigation') : i18n.t('Open the navigation')}
        />
        <Link to="/" className={classes.brand} aria-label={PRODUCT}>
          <img src="/icon.svg" alt="" width={26} height={26} />
          <span className={classes.word}>{PRODUCT}</span>
        </Link>
        <WorkspaceSwitch workspaces={me.data.workspaces} />
        <Group gap={4} ml="auto" wrap="nowrap">
          <Commands />
          <SchemeSwitch />
          <PersonMenu user={me.data.user} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" className={classes.side}>
        <Navigation isCollapsed={isCollapsed} />
        {isWide && <CollapseButton isCollapsed={isCollapsed} onToggle={toggleCollapsed} />}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
