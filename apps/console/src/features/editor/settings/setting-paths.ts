import { CANCEL_PATHS } from './cancel-rules.tsx';
import { TOOL_PATHS } from './tool-fields.tsx';

/** The paths of the workflow's settings in issues of a save. */
export const PATHS = {
  timeoutSeconds: 'definition.settings.timeoutSeconds',
  runsAtOnce: 'definition.settings.maxConcurrentExecutions',
  max: 'definition.settings.rateLimit.max',
  windowSeconds: 'definition.settings.rateLimit.windowSeconds',
  key: 'definition.settings.concurrency.key',
  limit: 'definition.settings.concurrency.limit',
};

/** The issues of a refused save that the form of the settings can show. */
export const SETTING_PATHS: readonly string[] = [...Object.values(PATHS), ...CANCEL_PATHS, ...TOOL_PATHS];
