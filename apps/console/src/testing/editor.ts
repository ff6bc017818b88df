import { EditorView } from '@codemirror/view';
import { fireEvent, type Matcher, screen, waitFor, within } from '@testing-library/react';
import { openConsole } from './console.tsx';
import { click, type Scope, user } from './hands.ts';

/** Opens a workflow in the editor, and waits for its nodes. */
export async function openEditor(workflowId: string, as?: Parameters<typeof openConsole>[1]): Promise<void> {
  await openConsole(`/workflows/${workflowId}`, as);
  await waitFor(() => {
    if (document.querySelector('.react-flow__node') === null) throw new Error('the canvas has no node');
  });
}

/** The names of the nodes on the canvas. */
export const nodesOnCanvas = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.react-flow__node')];

/** Waits for the node with a text on the canvas. */
export async function nodeOf(text: string): Promise<HTMLElement> {
  return waitFor(() => {
    const found = nodesOnCanvas().find((node) => node.textContent.includes(text));
    if (!found)
      throw new Error(
        `the canvas has no node ${text}: ${nodesOnCanvas()
          .map((node) => node.textContent)
          .join()}`,
      );
    return found;
  });
}

/**
 * Clicks a node, and waits for its form. Only the click itself: what leads to a drag needs a layout. @returns where to
 * look in the form.
 */
export async function selectNode(text: string): Promise<Scope> {
  fireEvent.click(await nodeOf(text));
  return nodeForm();
}

/** Where to look in the form of the selected node. */
export const nodeForm = async (): Promise<Scope> => within(await screen.findByRole('region', { name: 'Node' }));

/** Waits for a state of the saves. */
export async function isSaved(text: string): Promise<void> {
  const status = within(await screen.findByRole('status', { name: 'Saved state' }));
  await status.findByText(text);
}

/** Waits for the code editor with a label: it is loaded on demand. */
export async function codeOf(label: Matcher, scope: Scope = screen): Promise<EditorView> {
  return waitFor(() => {
    const views = scope.getAllByLabelText(label).flatMap((field) => EditorView.findFromDOM(field) ?? []);
    if (!views[0]) throw new Error(`${String(label)} is not a code editor`);
    return views[0];
  });
}

/** Replaces the text of the code editor with a label, as by typing. */
export async function writeCode(label: Matcher, text: string, scope: Scope = screen): Promise<void> {
  const view = await codeOf(label, scope);
  view.focus();
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: 'input.type' });
}

/** Adds a node by typing what it is, and waits for its form. @returns where to look in the form. */
export async function addNode(title: string): Promise<Scope> {
  await click('button', 'Add node');
  const search = await screen.findByRole('combobox', { name: 'Search nodes' });
  await user.click(search);
  await user.paste(title);
  await user.keyboard('{Enter}');
  const form = await nodeForm();
  await form.findByRole('heading', { name: title });
  return form;
}

/** Waits until the canvas has a number of nodes. */
export async function hasNodes(count: number): Promise<void> {
  await waitFor(() => {
    if (nodesOnCanvas().length !== count) throw new Error(`the canvas has ${nodesOnCanvas().length} nodes`);
  });
}

/** Presses a key with Control. */
export const control = (key: string): Promise<void> => user.keyboard(`{Control>}${key}{/Control}`);

let clipboard = '';

/** Copies or cuts what is selected on the canvas, or pastes what was copied, as the keys for that do. */
export function clip(action: 'copy' | 'cut' | 'paste'): void {
  const event = new Event(action, { bubbles: true, cancelable: true });
  const clipboardData = {
    getData: () => clipboard,
    setData: (_type: string, text: string) => {
      clipboard = text;
    },
  };
  Object.defineProperty(event, 'clipboardData', { value: clipboardData });
  fireEvent(document.activeElement ?? document.body, event);
}

/** Has a text in the clipboard, of whatever program. */
export function putOnClipboard(text: string): void {
  clipboard = text;
}
