import {
  type BoundFunctions,
  type ByRoleMatcher,
  type Matcher,
  type queries,
  screen,
  waitFor,
  within,
} from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';

/** Where to look: the whole screen, or `within(element)`. */
export type Scope = BoundFunctions<typeof queries>;

/** The mouse and the keyboard of the person. */
export const user = userEvent.setup();

/** Waits for what has a role and a name, and clicks it. */
export async function click(role: ByRoleMatcher, name: string | RegExp, scope: Scope = screen): Promise<void> {
  await user.click(await scope.findByRole(role, { name }));
}

/** Clicks the first of several with a role and a name: an empty list has the button of the title once more. */
export async function clickFirst(role: ByRoleMatcher, name: string | RegExp, scope: Scope = screen): Promise<void> {
  const [first] = await scope.findAllByRole(role, { name });
  if (first) await user.click(first);
}

/** Replaces the text of the field with a label. */
export async function fill(label: Matcher, text: string, scope: Scope = screen): Promise<void> {
  // The list of options of a field has its label, too.
  const field = await scope.findByLabelText(label, { selector: 'input, textarea' });
  await user.clear(field);
  if (text === '') return;
  await user.click(field);
  await user.paste(text);
}

/** Chooses an option of the field with a name. */
export async function choose(name: string | RegExp, option: string | RegExp, scope: Scope = screen): Promise<void> {
  await click('combobox', name, scope);
  await click('option', option);
}

/** Waits for a dialog. @returns where to look in it. */
export async function dialog(name?: string | RegExp): Promise<Scope> {
  return within(await screen.findByRole('dialog', name === undefined ? {} : { name }));
}

/** Waits for a text, also one that runs through several elements. @returns the innermost element that has all of it. */
export async function sees(text: string, scope: Scope = screen): Promise<HTMLElement> {
  const found = await scope.findAllByText((_, element) => element?.textContent.includes(text) ?? false);
  // In the order of the document, so the outer ones come first.
  return found.at(-1)!;
}

/** Waits until nothing has the role, and the name if there is one. */
export async function isGone(role: ByRoleMatcher, name?: string | RegExp, scope: Scope = screen): Promise<void> {
  await waitFor(() => {
    const found = scope.queryAllByRole(role, name === undefined ? {} : { name });
    if (found.length > 0) throw new Error(`${String(role)} ${String(name ?? '')} is still there`);
  });
}

/** Gives an element the focus, and presses Enter. */
export async function enter(element: HTMLElement): Promise<void> {
  element.focus();
  await user.keyboard('{Enter}');
}
