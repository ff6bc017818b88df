import type { User } from '@deckhand/contracts';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { CircleUserRound, LogOut, Settings } from 'lucide-react';
import { signOut } from '../api/people.ts';
import { i18n } from '../language/i18n.ts';
import { chooseLanguage, LANGUAGES, readLanguage } from '../language/language.ts';
import { endSession } from '../session/store.ts';

/** Shows who is signed in, chooses the language, and signs out. */
export function PersonMenu({ user }: { user: User }) {
  const navigate = useNavigate();
  const { workspaceId = '' } = useParams({ strict: false });
  /** Ends the session on this side whatever the response, so that an outage keeps nobody signed in. */
  const leave = async (): Promise<void> => {
    await signOut().catch(() => undefined);
    endSession();
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
