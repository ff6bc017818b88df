import { EditorView } from '@codemirror/view';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openConsole } from './console.tsx';
import type { Scope } from './hands.ts';

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
    if (!found) throw new Error(`the canvas has no node ${text}: ${nodesOnCanvas().map((node) => node.textContent)}`);
    return found;
  });
}

/**
 * Clicks a node, and waits for its form. @returns where to look in the form. Only the click itself: what leads to a drag
 * needs a layout.
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
export async function codeOf(label: string, scope: Scope = screen): Promise<EditorView> {
  return waitFor(() => {
    const views = scope.getAllByLabelText(label).flatMap((field) => EditorView.findFromDOM(field) ?? []);
    if (!views[0]) throw new Error(`${label} is no code editor`);
    return views[0];
  });
}

/** Replaces the text of the code editor with a label, as by typing. */
export async function writeCode(label: string, text: string, scope: Scope = screen): Promise<void> {
  const view = await codeOf(label, scope);
  view.focus();
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: 'input.type' });
}
