import { Button, MantineProvider, Select, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { expect, it } from '@jest/globals';
import { render, screen, waitFor, within } from '@testing-library/react';
import { ApiError } from '../api/api-error.ts';
import { prepareConsole } from '../testing/console.tsx';
import { choose, click, dialog, fill, isGone } from '../testing/hands.ts';
import { FormDialog, submitBy } from './form-dialog.tsx';

prepareConsole();

/** The texts of the page. */
const TEXTS = { open: 'Paint', title: 'Paints', name: 'Name', note: 'Note', color: 'Color' } as const;
const COLORS = ['Red', 'Blue'] as const;

interface Paint {
  readonly name: string;
  readonly note: string;
  readonly color: (typeof COLORS)[number];
}

const INITIAL: Paint = { name: '', note: '', color: 'Red' };

/** Shows a button that opens the form. @returns what was submitted. */
function show(act: (paint: Paint) => unknown = () => undefined): Paint[] {
  const submitted: Paint[] = [];
  function Page() {
    const [isOpen, { open, close }] = useDisclosure(false);
    return (
      <>
        <Button onClick={open}>{TEXTS.open}</Button>
        <FormDialog
          isOpen={isOpen}
          title={TEXTS.title}
          initial={INITIAL}
          submit="Mix"
          canSubmit={({ name }) => name !== ''}
          act={(paint) => {
            submitted.push(paint);
            return act(paint);
          }}
          onClose={close}
        >
          {({ text, choice }) => (
            <>
              <TextInput label={TEXTS.name} {...text('name')} />
              <Textarea label={TEXTS.note} {...text('note')} onKeyDown={submitBy('mod+Enter')} />
              <Select label={TEXTS.color} data={[...COLORS]} {...choice('color', COLORS)} />
            </>
          )}
        </FormDialog>
      </>
    );
  }
  render(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <Page />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return submitted;
}

const nameOf = async () => (await (await dialog()).findByLabelText<HTMLInputElement>('Name')).value;

it('submits its values once they can be, closes, and begins anew', async () => {
  const submitted = show();
  await click('button', 'Paint');
  expect((await (await dialog()).findByRole<HTMLButtonElement>('button', { name: 'Mix' })).disabled).toBe(true);
  await fill('Name', 'Sky');
  await choose('Color', 'Blue');
  await click('button', 'Mix');
  await isGone('dialog');
  expect(submitted).toEqual([{ name: 'Sky', note: '', color: 'Blue' }]);
  await click('button', 'Paint');
  expect(await nameOf()).toBe('');
});

it('keeps what was typed if it is cancelled, but not the error', async () => {
  show(() => Promise.reject(new ApiError(409, { error: 'All brushes are in use' })));
  await click('button', 'Paint');
  await fill('Name', 'Sky');
  await click('button', 'Mix');
  await within(await screen.findByRole('alert')).findByText('All brushes are in use');
  await click('button', 'Cancel');
  await isGone('dialog');
  await click('button', 'Paint');
  expect(await nameOf()).toBe('Sky');
  expect(screen.queryByRole('alert')).toBeNull();
});

it('is submitted by a key in a text area', async () => {
  const submitted = show();
  await click('button', 'Paint');
  await fill('Name', 'Sky');
  const note = await screen.findByLabelText('Note');
  note.focus();
  note.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }),
  );
  await waitFor(() => expect(submitted).toHaveLength(1));
});
