import type { ExecuteBody } from './generated/index.ts';

/** Types of inputs, by the id of the workflow. Empty until a file of `deckhand types` adds members to it. */
// oxlint-disable-next-line typescript/no-empty-object-type -- only interfaces can be added to
export interface WorkflowInputs {}

/** The input of a workflow by its id: the generated type, or any object for a workflow without one. */
export type WorkflowInput<Id extends string> = Id extends keyof WorkflowInputs
  ? WorkflowInputs[Id]
  : ExecuteBody['input'];

/** What follows the id of a workflow in a start. An input that may be empty can be left out. */
export type StartArguments<Id extends string, Options> =
  Partial<WorkflowInput<Id>> extends WorkflowInput<Id>
    ? [input?: WorkflowInput<Id>, options?: Options]
    : [input: WorkflowInput<Id>, options?: Options];
