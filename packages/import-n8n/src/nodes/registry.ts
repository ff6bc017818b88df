import { n8nTables } from '@deckhand/connectors';
import { callNode } from './connectors/call.ts';
import { gmailNode } from './connectors/gmail.ts';
import { calendarNode } from './connectors/google-calendar.ts';
import { driveNode } from './connectors/google-drive.ts';
import { sheetsNode } from './connectors/google-sheets.ts';
import { codeNode } from './code.ts';
import { cryptoNode } from './crypto.ts';
import { dateTimeNode } from './date-time.ts';
import { compareDatasetsNode } from './compare-datasets.ts';
import type { Converter } from './converter.ts';
import { emailNode } from './email.ts';
import { convertToFileNode, extractNode } from './files.ts';
import { formTrigger } from './form-trigger.ts';
import { filterNode, ifNode, noOperation, respondNode, stopNode, switchNode, waitNode } from './flow.ts';
import { httpNode } from './http.ts';
import { aggregateNode, itemListsNode, limitNode, splitOutNode } from './lists.ts';
import { htmlNode, xmlNode } from './markup.ts';
import { mergeNode } from './merge.ts';
import { agentNode } from './models/agent.ts';
import { chainNode, extractorNode } from './models/chains.ts';
import { chatTrigger } from './models/chat-trigger.ts';
import { LANGCHAIN } from './models/chat-model.ts';
import { openAiNode } from './models/open-ai.ts';
import { classifierNode } from './models/text-classifier.ts';
import { renameKeysNode, sortNode } from './order.ts';
import { postgresNode } from './postgres.ts';
import { removeDuplicatesNode } from './remove-duplicates.ts';
import { setNode } from './set.ts';
import { summarizeNode } from './summarize.ts';
import { scheduleTrigger } from './schedules.ts';
import { manualTrigger, webhookTrigger } from './triggers.ts';
import { errorTrigger, executeWorkflowNode } from './workflows.ts';
import { lookup, shortType } from '../workflow.ts';

/** Converters by the type of n8n, without the name of its package. Any other type becomes a stub. */
const CONVERTERS: Readonly<Record<string, Converter>> = {
  aggregate: aggregateNode,
  code: codeNode,
  compareDatasets: compareDatasetsNode,
  convertToFile: convertToFileNode,
  cron: scheduleTrigger,
  crypto: cryptoNode,
  dateTime: dateTimeNode,
  emailSend: emailNode,
  errorTrigger,
  executeWorkflow: executeWorkflowNode,
  executeWorkflowTrigger: manualTrigger,
  extractFromFile: extractNode,
  filter: filterNode,
  formTrigger,
  function: codeNode,
  functionItem: codeNode,
  html: htmlNode,
  httpRequest: httpNode,
  if: ifNode,
  itemLists: itemListsNode,
  limit: limitNode,
  manualTrigger,
  merge: mergeNode,
  noOp: noOperation,
  postgres: postgresNode,
  removeDuplicates: removeDuplicatesNode,
  renameKeys: renameKeysNode,
  respondToWebhook: respondNode,
  scheduleTrigger,
  set: setNode,
  sort: sortNode,
  splitOut: splitOutNode,
  start: manualTrigger,
  stopAndError: stopNode,
  summarize: summarizeNode,
  switch: switchNode,
  wait: waitNode,
  webhook: webhookTrigger,
  xml: xmlNode,
};

/** Converters of nodes that ask language models, by the type without the name of n8n's package for them. */
const MODEL_CONVERTERS: Readonly<Record<string, Converter>> = {
  agent: agentNode,
  chainLlm: chainNode,
  chatTrigger,
  informationExtractor: extractorNode,
  openAi: openAiNode,
  textClassifier: classifierNode,
};

/** Converters of services some of whose operations take several requests. */
const OF_SEVERAL_CALLS: Readonly<Record<string, typeof callNode>> = {
  gmail: gmailNode,
  googleCalendar: calendarNode,
  googleDrive: driveNode,
  googleSheets: sheetsNode,
};

/** Types that run at the start of a workflow. */
const TRIGGERS = new Set(['manualTrigger', 'start', 'webhook', 'scheduleTrigger', 'cron', 'executeWorkflowTrigger']);

/** Returns the converter of a type. */
export function converterOf(type: string): Converter | undefined {
  const model = takesParts(type) ? lookup(MODEL_CONVERTERS, type.slice(LANGCHAIN.length)) : undefined;
  return model ?? lookup(CONVERTERS, shortType(type)) ?? connectorOf(shortType(type));
}

/** Returns the converter of a type whose service has a connector. */
function connectorOf(type: string): Converter | undefined {
  const table = n8nTables().find((each) => each.type === type);
  const convert = lookup(OF_SEVERAL_CALLS, type) ?? callNode;
  return table && ((conversion) => convert(conversion, table));
}

/** Returns whether a type is converted together with the models and parsers that are connected to it. */
export function takesParts(type: string): boolean {
  return type.startsWith(LANGCHAIN) && lookup(MODEL_CONVERTERS, type.slice(LANGCHAIN.length)) !== undefined;
}

/** Returns true for a trigger, also for one that has no converter. */
export function isTrigger(type: string): boolean {
  return TRIGGERS.has(shortType(type)) || /trigger$/i.test(type);
}
