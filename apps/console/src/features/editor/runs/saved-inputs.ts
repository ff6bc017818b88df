import { isJsonObject, parseJson } from '@deckhand/contracts';
import { useLocalStorage } from '@mantine/hooks';

/** An input that a person keeps under a name, to run the workflow with again. */
export interface SavedInput {
  readonly name: string;
  /** As it was typed. */
  readonly input: string;
}

/** Most inputs that are kept of a workflow, and their length in characters: a browser keeps about 5 MB in all. */
export const MAX_INPUTS = 20;
export const MAX_INPUT_LENGTH = 50_000;

/** The inputs that this browser keeps of a workflow, by name. What keeps them returns false if there is no room. */
export function useSavedInputs(workflowId: string): [SavedInput[], (inputs: readonly SavedInput[]) => boolean] {
  const key = `deckhand.inputs.${workflowId}`;
  const [inputs, set] = useLocalStorage({
    key,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: readInputs,
  });
  const keep = (next: readonly SavedInput[]): boolean => {
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      return false;
    }
    set([...next]);
    return true;
  };
  return [inputs, keep];
}

/** Puts an input into the list, in place of one of the same name. */
export function withInput(inputs: readonly SavedInput[], added: SavedInput): SavedInput[] {
  const others = inputs.filter(({ name }) => name !== added.name);
  return [...others, added].sort((one, other) => one.name.localeCompare(other.name));
}

function readInputs(text: string | undefined): SavedInput[] {
  try {
    const list = parseJson(text ?? '[]');
    if (!Array.isArray(list)) return [];
    return list.flatMap((entry) => {
      if (!isJsonObject(entry)) return [];
      const { name, input } = entry;
      return typeof name === 'string' && typeof input === 'string' ? [{ name, input }] : [];
    });
  } catch {
    return [];
  }
}
