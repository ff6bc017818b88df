import { Button, Stack } from '@mantine/core';
import { getHotkeyHandler, useDisclosure } from '@mantine/hooks';
import { Maximize2 } from 'lucide-react';
import type { TextField } from '../forms/text-field.ts';
import { i18n } from '../language/i18n.ts';
import { FullScreenScript } from './full-screen-script.tsx';
import { ScriptField } from './script-field.tsx';

/** A field for JavaScript, and a button that opens it on the full screen. */
export function ScriptEditor(field: TextField & { isReadOnly: boolean }) {
  const [isOpen, screen] = useDisclosure(false);
  return (
    <Stack gap={6} align="stretch">
      <ScriptField {...field} />
      {/* Not a button element: those are disabled for people who may only read, and so would this one be. */}
      <Button
        component="div"
        role="button"
        tabIndex={0}
        aria-haspopup="dialog"
        variant="default"
        size="xs"
        style={{ alignSelf: 'start' }}
        leftSection={<Maximize2 size={14} aria-hidden />}
        onClick={screen.open}
        onKeyDown={getHotkeyHandler([
          ['Enter', screen.open],
          ['Space', screen.open],
        ])}
      >
        {i18n.t('Open full screen')}
      </Button>
      <FullScreenScript {...field} isOpen={isOpen} onClose={screen.close} />
    </Stack>
  );
}
