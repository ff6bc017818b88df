export { members, oneOfEach, several, timeLimit, timeSpan, wholeNumber } from './arguments.ts';
export { EXIT, ExitError, type ExitCode, misused } from './exit.ts';
export { askChoice, askText, canAsk, confirm, isConfirmed, readJson, readSecret, readStandardInput } from './input.ts';
export { createOutput, type Output, printMessage, printResult } from './output.ts';
export { addCommands, createRootCommand, describeFailure, type Failure, runCommands } from './program.ts';
export { type Progress, showProgress } from './progress.ts';
export { durationText, fields, table } from './table.ts';
export { render, type Span, type Style, type Text, toJson } from './text.ts';
