import type { User } from '@deckhand/contracts';
import { ActionIcon, AppShell, Burger, Group, Menu, Text } from '@mantine/core';
import { useDisclosure, useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useLocation, useMatches, useNavigate, useParams } from '@tanstack/react-router';
import { BookOpen, CircleUserRound, LogOut, Settings } from 'lucide-react';
import { useEffect } from 'react';
import { meQuery, signOut } from '../api/people.ts';
import { useWorkspace } from '../api/use-workspace.ts';
import { Broken } from '../components/broken.tsx';
import { Loading } from '../components/loading.tsx';
import { forgetEditsOfOthers } from '../features/editor/saving/kept-edit.ts';
import { i18n } from '../language/i18n.ts';
import { chooseLanguage, LANGUAGES, readLanguage } from '../language/language.ts';
import { endSession } from '../session/store.ts';
import { useSession } from '../session/use-session.ts';
import { neededAt } from './areas.ts';
import { CollapseButton } from './collapse-button.tsx';
import { Commands } from './commands.tsx';
import { FavoriteLinks } from './favorite-links.tsx';
import { rememberWorkspace } from './last-workspace.ts';
import { Navigation } from './navigation.tsx';
import { SchemeSwitch } from './scheme-switch.tsx';
import classes from './shell.module.css';
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
        <FavoriteLinks personId={me.data.user.id} workspaceId={workspaceId} isCollapsed={isCollapsed} />
        {isWide && <CollapseButton isCollapsed={isCollapsed} onToggle={toggleCollapsed} />}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <PageOrApprovals />
      </AppShell.Main>
    </AppShell>
  );
}

/** The page; for people who may not see its area, which an approver's home is, the approvals. */
function PageOrApprovals() {
  const { pathname } = useLocation();
  // The page that is shown until the one of the location is loaded.
  const shown = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '' });
  const { workspaceId, can } = useWorkspace();
  const isSeen = (path: string): boolean => {
    const needed = neededAt(path);
    return needed === undefined || can(needed) || !can('approvals.read');
  };
  if (!isSeen(pathname)) return <Navigate to="/w/$workspaceId/approvals" params={{ workspaceId }} replace />;
  return isSeen(shown) ? <Outlet /> : <Loading />;
}

/** Keeps in this browser whether the navigation is collapsed. On a phone, which has no room beside it, it never is. */
function useCollapsed(): {
  readonly isCollapsed: boolean;
  readonly isWide: boolean;
  readonly toggle: () => void;
} {
  // The breakpoint of the shell.
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  const [isKept, keep] = useLocalStorage({
    key: 'deckhand.navigation',
    defaultValue: false,
    getInitialValueInEffect: false,
    serialize: (isCollapsed) => (isCollapsed ? 'collapsed' : 'expanded'),
    deserialize: (text) => text === 'collapsed',
  });
  return { isCollapsed: isWide && isKept, isWide, toggle: () => keep(!isKept) };
}

/** Shows who is signed in, chooses the language, and signs out. */
function PersonMenu({ user }: { user: User }) {
  const navigate = useNavigate();
  const { workspaceId = '' } = useParams({ strict: false });
  /** Ends the session on this side whatever the response, so that an outage keeps nobody signed in. */
  const leave = async (): Promise<void> => {
    const signedOff = await signOut().catch(() => undefined);
    endSession();
    const page = signedOff?.endSessionUrl ?? null;
    if (page !== null) window.open(page, '_self');
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={i18n.t('Signed in as {name}', { name: user.name })}
        >
          <CircleUserRound size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="sm" fw={600} px="sm" pt="xs" truncate>
          {user.name}
        </Text>
        <Text size="xs" c="dimmed" px="sm" pb="xs" truncate>
          {user.email}
        </Text>
        <Menu.Divider />
        <Menu.Item
          leftSection={<Settings size={16} aria-hidden />}
          onClick={() => void navigate({ to: '/w/$workspaceId/account', params: { workspaceId } })}
        >
          {i18n.t('Your account')}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<BookOpen size={16} aria-hidden />}>
          {i18n.t('Documentation')}
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => void leave()}>
          {i18n.t('Sign out')}
        </Menu.Item>
        <Menu.Divider />
        <div role="group" aria-label={i18n.t('Language')}>
          <Menu.Label aria-hidden>{i18n.t('Language')}</Menu.Label>
          {LANGUAGES.map(([language, name]) => (
            <Menu.RadioItem
              key={language}
              value={language}
              lang={language}
              checked={language === readLanguage()}
              onChange={() => chooseLanguage(language)}
            >
              {name}
            </Menu.RadioItem>
          ))}
        </div>
      </Menu.Dropdown>
    </Menu>
  );
}
