#!/usr/bin/env node
import { runCommands } from '@deckhand/terminal';
import { describeError } from './describe-error.ts';
import { readEnvironment } from './environment.ts';
import { createProgram } from './program.ts';

void runCommands(createProgram(readEnvironment()), describeError);
