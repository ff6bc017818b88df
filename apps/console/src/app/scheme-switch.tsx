import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Moon, Sun } from 'lucide-react';
import { i18n } from '../language/i18n.ts';

/** Switches between light and dark. */
export function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={other === 'dark' ? i18n.t('Switch to dark mode') : i18n.t('Switch to light mode')}
      onClick={() => setColorScheme(other)}
    >
      {other === 'dark' ? <Moon size={18} aria-hidden /> : <Sun size={18} aria-hidden />}
    </ActionIcon>
  );
}
