import { ActionIcon, Button, Kbd } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { nameKeys } from '../components/key-names.ts';
import { i18n } from '../language/i18n.ts';
import type { Overlay } from './command-search.tsx';

const SEARCH_KEYS = nameKeys('Ctrl K');

// Loaded when they are opened first.
const CommandSearch = lazy(async () => ({ default: (await import('./command-search.tsx')).CommandSearch }));
const Shortcuts = lazy(async () => ({ default: (await import('./shortcuts.tsx')).Shortcuts }));
const NewWorkflow = lazy(async () => ({ default: (await import('./new-workflow.tsx')).NewWorkflow }));

/** The search over everything, with its button, and other dialogs that are opened by keyboard on any page. */
export function Commands() {
  const [overlay, setOverlay] = useState<Overlay>();
  const close = (): void => setOverlay(undefined);
  // Also in fields, including code editors.
  useHotkeys([['mod+K', () => setOverlay((before) => (before === 'search' ? undefined : 'search'))]], [], true);
  useHotkeys([['shift+?', () => setOverlay('shortcuts')]]);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        aria-keyshortcuts="Control+K"
        leftSection={<Search size={14} aria-hidden />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            {SEARCH_KEYS}
          </Kbd>
        }
        onClick={() => setOverlay('search')}
      >
        {i18n.t('Search')}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        hiddenFrom="sm"
        aria-label={i18n.t('Search')}
        onClick={() => setOverlay('search')}
      >
        <Search size={18} aria-hidden />
      </ActionIcon>
      <Suspense>
        {overlay === 'search' && <CommandSearch onClose={close} onOpen={setOverlay} />}
        {overlay === 'shortcuts' && <Shortcuts onClose={close} />}
        {overlay === 'new-workflow' && <NewWorkflow onClose={close} />}
      </Suspense>
    </>
  );
}
