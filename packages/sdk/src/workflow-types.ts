import type { ExecuteBatchItem, ExecuteBody, JsonValue } from './generated/index.ts';

/** Types of inputs, by the slug or id of the workflow. Empty until a file of `deckhand types` adds members to it. */
// oxlint-disable-next-line typescript/no-empty-object-type -- only interfaces can be added to
export interface WorkflowInputs {}

/** Types of results, in the same way. */
// oxlint-disable-next-line typescript/no-empty-object-type -- only interfaces can be added to
export interface WorkflowResults {}

/** The input of a workflow by its slug or id: the generated type, or any object for a workflow without one. */
export type WorkflowInput<Key extends string> = Key extends keyof WorkflowInputs
  ? WorkflowInputs[Key]
  : ExecuteBody['input'];

/** The result of a workflow by its slug or id: the generated type, or any value for a workflow without one. */
export type WorkflowResult<Key extends string> = Key extends keyof WorkflowResults ? WorkflowResults[Key] : JsonValue;

/** What follows the workflow in a start. An input that may be empty can be left out. */
export type StartArguments<Key extends string, Options> =
  Partial<WorkflowInput<Key>> extends WorkflowInput<Key>
    ? [input?: WorkflowInput<Key>, options?: Options]
    : [input: WorkflowInput<Key>, options?: Options];

/** One start of a batch. */
export type BatchItem<Key extends string> = Omit<ExecuteBatchItem, 'input'> &
  (Partial<WorkflowInput<Key>> extends WorkflowInput<Key>
    ? { readonly input?: WorkflowInput<Key> }
    : { readonly input: WorkflowInput<Key> });
