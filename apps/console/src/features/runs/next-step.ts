import { i18n } from '../../language/i18n.ts';

/** What a person can do about the error of a run. */
export interface NextStep {
  readonly advice: string;
  /** The area of the console where it is done; undefined for the node, or nowhere. */
  readonly area?: 'credentials' | 'fleet';
}

const ADDRESS = i18n.t('Check the address, and whether the service is up. Then re-run from this node.');
const RERUN = i18n.t('This may pass by itself: re-run from this node, or set retries in its settings.');
const LATER = i18n.t(
  'A worker had too little memory at that moment: re-run from this node. Work on less data if it returns.',
);
const NODE = i18n.t('Correct the node in the editor, and publish. Then re-run from this node.');
const DATA = i18n.t('Compare the input of the node with what it expects. Then correct the node, or the data.');
const LIMIT = i18n.t(
  'Work on less data at once, for example in a loop, or raise the limit in the settings of the node.',
);
const STEPS_LIMIT = i18n.t('Work on less data at once, for example in a loop, or simplify the expression or the node.');
const TIME = i18n.t('Allow more time in the settings of the node or of the workflow, or look for what is slow.');
const CREDENTIAL: NextStep = {
  advice: i18n.t('Check the credential of the node. Then re-run from this node.'),
  area: 'credentials',
};
const PEOPLE = i18n.t('Nobody answered in time: re-run from this node, or allow more time in its settings.');

const STEPS: Readonly<Record<string, NextStep>> = {
  ADDRESS_REFUSED: { advice: i18n.t('Use a public address, or ask the operator of this instance to allow this one.') },
  AGENT_TOKEN_LIMIT: { advice: LIMIT },
  AGENT_TURN_LIMIT: { advice: LIMIT },
  APPROVAL_TIMEOUT: { advice: PEOPLE },
  CIRCUIT_OPEN: { advice: RERUN },
  CODE_FAILED: { advice: NODE },
  CODE_LIMIT: { advice: LIMIT },
  CONCURRENCY_LIMIT: { advice: RERUN },
  EMAIL_UNREACHABLE: { advice: ADDRESS },
  EXECUTION_TIMEOUT: { advice: TIME },
  EXPIRED: { advice: i18n.t('The run waited for a worker too long: look at the fleet.'), area: 'fleet' },
  EXPRESSION_BUDGET: { advice: STEPS_LIMIT },
  EXPRESSION_FAILED: { advice: DATA },
  FILE_LIMIT: { advice: LIMIT },
  FILE_TOO_LARGE: { advice: LIMIT },
  HTTP_REQUEST_FAILED: { advice: ADDRESS },
  HTTP_STATUS: { advice: i18n.t('The service refused the request: its response is in the error of the node.') },
  HUMAN_TIMEOUT: { advice: PEOPLE },
  INPUT_INVALID: { advice: DATA },
  INTERNAL: { advice: i18n.t('Re-run it. If it fails again, report the ID of the run to the operator.') },
  JSON_INVALID: { advice: DATA },
  LOCK_TIMEOUT: {
    advice: i18n.t('Another run had the lock: re-run once it has ended, or let the node wait longer.'),
  },
  LOOP_TOO_LONG: { advice: LIMIT },
  MEMORY_EXCEEDED: { advice: LATER },
  MODEL_FAILED: { advice: RERUN },
  NODE_BUDGET: { advice: STEPS_LIMIT },
  NODE_INTERRUPTED: {
    advice: i18n.t('Its worker died while it ran: check whether it has acted before you re-run from this node.'),
  },
  NODE_TIMEOUT: { advice: TIME },
  NOT_A_NUMBER: { advice: DATA },
  NO_ACTIVE_VERSION: { advice: i18n.t('Publish the workflow that this node starts. Then re-run from this node.') },
  PARAMETERS_INVALID: { advice: NODE },
  POSTGRES_UNREACHABLE: { advice: ADDRESS },
  RATE_LIMITED: { advice: RERUN },
  RESPONSE_TOO_LARGE: { advice: LIMIT },
  RESULT_TOO_LARGE: { advice: LIMIT },
  RUN_LOST_TOO_OFTEN: { advice: i18n.t('Workers died while they ran it: look at the fleet.'), area: 'fleet' },
};

/** The codes that have an advice of their own. */
export const ADVISED_CODES: readonly string[] = Object.keys(STEPS);

/** Returns what to do about an error, by its code; undefined where the message says it all. */
export function nextStepFor(code: string): NextStep | undefined {
  return STEPS[code] ?? (code.startsWith('CREDENTIAL_') ? CREDENTIAL : undefined);
}
