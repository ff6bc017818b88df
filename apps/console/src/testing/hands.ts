import { type BoundFunctions, type ByRoleMatcher, type Matcher, type queries, screen } from '@testing-library/react';
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
  const field = await scope.findByLabelText(label);
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
