/**
 * Catalog of the warnings about a definition: a title and what to do, by code. They never refuse a save.
 * docs/warnings.md has a section for each; a test compares the two. `de-served.json` of the console has German texts.
 */
export const WARNINGS = {
  CONDITION_IS_TEXT: {
    title: 'The condition is always true',
    remedy: 'Put the whole condition into one {{ }}, with nothing before and after it.',
  },
  ERROR_BRANCH_MISSING: {
    title: 'Failures are not noticed',
    remedy: 'Connect the output "error" to a node that handles the failure, or set onError to "stop" or "continue".',
  },
  NODE_UNREACHABLE: {
    title: 'The node never runs',
    remedy: 'Connect it to the node that it runs after, disable it, or delete it.',
  },
  NODE_NEVER_CONTINUES: {
    title: 'The nodes after it never run',
    remedy: 'Remove the edges that leave it, or set its onError to "branch" and connect the output "error".',
  },
  REFERENCE_NOT_BEFORE: {
    title: 'The output that it reads is never there',
    remedy: 'Read a node that runs before this one, or connect the node that is read to this one.',
  },
  FOREIGN_SYNTAX: {
    title: 'The syntax is that of n8n',
    remedy: 'Write it in the language of expressions: docs/expressions.md lists its names.',
  },
  MOCK_DIFFERS: {
    title: 'The mock is not like the output',
    remedy: 'Give the mock the members that the node type returns, or remove it: sandbox mode has a sample.',
  },
  RETRY_NEVER_HAPPENS: {
    title: 'The node is never retried',
    remedy: 'Remove retry. To handle the failure, use onError or a try node.',
  },
  SETTING_HAS_NO_EFFECT: {
    title: 'A setting has no effect',
    remedy: 'Remove the setting.',
  },
  NO_OUTPUT_TAKEN: {
    title: 'The run does not continue after it',
    remedy: 'Enable the node, or set onError to "branch" and connect the output "error".',
  },
  LIMIT_EXCEEDS_RUN: {
    title: 'The run ends before this time limit',
    remedy: 'Raise settings.timeoutSeconds of the workflow, or lower the limit of the node.',
  },
  WEBHOOK_IS_OPEN: {
    title: 'Anybody who knows the URL can start runs',
    remedy: 'Set a secret, an authentication with a credential, or a signature.',
  },
  SECRET_IN_PARAMETERS: {
    title: 'A secret is readable in the definition',
    remedy: 'Replace the secret at its provider, store the new one in a credential, and choose it in the node.',
  },
  CREDENTIAL_MISSING: {
    title: 'The node has no credential',
    remedy: 'Choose a credential in the node, or create one.',
  },
  LOOP_EXCEEDS_RATE_LIMIT: {
    title: 'Iterations wait for the limit of a credential',
    remedy: 'Lower concurrency of the loop, or raise the limit of the credential.',
  },
  CRON_STEP_TOO_LARGE: {
    title: 'The schedule fires at other times than it seems to',
    remedy: 'Use a step within the range of the field, or several schedule triggers.',
  },
  DATE_FORMAT_UNKNOWN: {
    title: 'The date format has unknown letters',
    remedy: 'Use the letters that the page of the node or of expressions lists, such as yyyy-MM-dd HH:mm.',
  },
  LOCALE_UNKNOWN: {
    title: 'The language is not known',
    remedy: 'Use a language tag such as en, de or pt-BR.',
  },
  WORKFLOW_NOT_FOUND: {
    title: 'The workflow is in another workspace',
    remedy: 'Name a workflow of this workspace.',
  },
  SECRET_REPLACED: {
    title: 'The secret is a new random one',
    remedy: 'Set a secret of your own before the webhook is used.',
  },
  MORE_WARNINGS: {
    title: 'There may be more warnings',
    remedy: 'Resolve those that are listed, and save again.',
  },
} as const satisfies Record<string, { readonly title: string; readonly remedy: string }>;

/** The code of a warning about a definition. */
export type WarningCode = keyof typeof WARNINGS;

/** All codes of warnings, in the order of the catalog. */
export const WARNING_CODES = Object.keys(WARNINGS).filter((code): code is WarningCode => code in WARNINGS);

/** A part of a valid definition that may be unintended. */
export interface DefinitionWarning {
  readonly code: WarningCode;
  /** What it is about, such as `definition.nodes[2].parameters.url`; "" or `definition` is the whole. */
  readonly path: string;
  readonly nodeId?: string;
  /** A sentence about this place. Never contains a secret. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** The section of the documentation that explains it, on the same instance. */
  readonly page: string;
}

/** Creates a warning with the remedy and the page of its code. */
export function warningOf(
  code: WarningCode,
  {
    remedy = WARNINGS[code].remedy,
    ...place
  }: Omit<DefinitionWarning, 'code' | 'page' | 'remedy'> & { remedy?: string },
): DefinitionWarning {
  return { code, ...place, remedy, page: `/docs/warnings#${code.toLowerCase()}` };
}
