import type { NamedRoute } from './openapi/document.ts';
import {
  listInstanceAuditLog,
  getWorkspaceLimits,
  updateWorkspaceLimits,
  getInstanceSettings,
  getModelPrices,
  updateInstanceSettings,
  updateModelPrices,
  getStoredBytes,
} from './routes/admin.ts';
import { getAiUsage } from './routes/ai.ts';
import { deleteMemory, getMemory, listMemories } from './routes/memories.ts';
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './routes/api-keys.ts';
import { listApprovals, listHumanTasks, submitApproval } from './routes/approvals.ts';
import { acceptInvite } from './routes/auth/accept-invite.ts';
import { approveDevice, getDevice, redeemDevice, startDevice } from './routes/auth/device.ts';
import { login, logout, getCurrentUser, changePassword } from './routes/auth/sign-in.ts';
import { listAuditLog } from './routes/audit-log.ts';
import { endOtherSessions, endSession, listSessions } from './routes/auth/sessions.ts';
import { getSignInMethods, redeemReset, requestPasswordReset } from './routes/auth/password-resets.ts';
import { finishSignOn, signOff, startSignOn } from './routes/auth/single-sign-on.ts';
import { finishSignIn, startPasskeySignIn } from './routes/auth/second-factor-sign-in.ts';
import {
  addPasskey,
  confirmAuthenticator,
  confirmIsYou,
  getSecondFactors,
  removeAuthenticator,
  removePasskey,
  replaceRecoveryCodes,
  startAuthenticator,
  startConfirmation,
  startPasskey,
} from './routes/auth/second-factors.ts';
import { getSetup, setup } from './routes/auth/setup.ts';
import { listConnectorChoices } from './routes/connector-choices.ts';
import { testCredential } from './routes/credential-tests.ts';
import {
  createCredential,
  deleteCredential,
  listCredentials,
  getCredential,
  updateCredential,
} from './routes/credentials.ts';
import {
  connectCredential,
  finishCredentialConnection,
  listCredentialUses,
  pollCredentialConnection,
} from './routes/connections.ts';
import {
  createConnector,
  deleteConnector,
  getConnectorOperation,
  listConnectorOperations,
  listConnectors,
  listConnectorVersions,
} from './routes/connectors.ts';
import { abortBulkAction, createBulkAction, getBulkAction, listBulkActions } from './routes/executions/bulk-actions.ts';
import { getFailureGroup, listFailureGroups, updateFailureGroup } from './routes/executions/failure-groups.ts';
import { createFileLink, getFile, uploadFile } from './routes/executions/files.ts';
import {
  createEventEndpoint,
  deleteEventEndpoint,
  updateEventEndpoint,
  getEventEndpoint,
  listEventEndpoints,
  listCallbackSecrets,
  rotateCallbackSecret,
  listEventSecrets,
  rotateEventSecret,
  listEventDeliveries,
  replayEventDelivery,
  replayEvents,
  sendTestEvent,
} from './routes/event-endpoints.ts';
import { sendEvent } from './routes/events.ts';
import { listCallbacks, replayCallback } from './routes/executions/callbacks.ts';
import { completeHumanTask } from './routes/executions/complete.ts';
import { deleteExecution, redactExecution } from './routes/executions/erase.ts';
import { followExecution } from './routes/executions/events.ts';
import { executeWorkflow } from './routes/executions/execute.ts';
import { executeWorkflowBatch } from './routes/executions/execute-batch.ts';
import { pauseExecution, resumeExecution } from './routes/executions/pause.ts';
import { exportExecutions } from './routes/executions/export.ts';
import { getExecutionHistogram } from './routes/executions/histogram.ts';
import { listExecutions } from './routes/executions/list.ts';
import { getExecution } from './routes/executions/read.ts';
import { listIterations, getExecutionResult, getNodeDebug, getNodeOutput } from './routes/executions/details.ts';
import { rerunExecution } from './routes/executions/rerun.ts';
import { stopExecution, stopExecutions } from './routes/executions/stop.ts';
import { updateExecution } from './routes/executions/update.ts';
import { createFolder, deleteFolder, listFolders, updateFolder } from './routes/folders.ts';
import { getLiveness, getReadiness, getMetrics } from './routes/health.ts';
import { createInvite, deleteInvite, listInvites } from './routes/invites.ts';
import { getMe } from './routes/me.ts';
import { addMember, leaveWorkspace, listMembers, removeMember, updateMember } from './routes/members.ts';
import { getInsights } from './routes/insights.ts';
import { getFleet, getRunStats, getWorkflowActivity, listSlowWorkflows } from './routes/monitoring.ts';
import { listNodeTypes } from './routes/node-types.ts';
import { activateUser, deactivateUser, disconnectUser, listUsers } from './routes/users.ts';
import { createVariable, deleteVariable, listVariables, listVariableUses, updateVariable } from './routes/variables.ts';
import { deleteDraft, getDraft, saveDraft } from './routes/drafts.ts';
import { deleteImportReport, getImportReport } from './routes/workflows/import-reports.ts';
import { listVersions, getVersion, saveVersion } from './routes/versions.ts';
import { listSchedules, listScheduleTimes, pauseSchedule, resumeSchedule } from './routes/schedules.ts';
import { changeWebhookUrl, openWebhookTest } from './routes/webhooks/urls.ts';
import { listDeliveries, replayDelivery } from './routes/webhooks/deliveries.ts';
import { applyWorkflow } from './routes/workflows/apply.ts';
import {
  createWorkflow,
  deleteWorkflow,
  listWorkflows,
  getWorkflow,
  updateWorkflow,
} from './routes/workflows/workflows.ts';
import { duplicateWorkflow } from './routes/workflows/duplicate.ts';
import { importN8nWorkflow } from './routes/workflows/import-n8n.ts';
import { listActivations } from './routes/workflows/list-activations.ts';
import { listWorkflowExecutions } from './routes/workflows/list-executions.ts';
import {
  createWorkspace,
  deleteWorkspace,
  listWorkspaces,
  getWorkspace,
  updateWorkspace,
  getWorkspaceUsage,
} from './routes/workspaces.ts';
import type { Services } from './services.ts';

/**
 * Every operation of the API by its name, which generated clients call it by, in the order in which paths are matched.
 */
export function listRoutes(
  services: Pick<Services, 'people' | 'resources' | 'starts' | 'runs' | 'monitoring'>,
): NamedRoute[] {
  const { people, resources, starts, runs, monitoring } = services;
  const operations = {
    // Asked for most: paths are tried one after another. `export` and `stop` would be taken for ids.
    executeWorkflow: executeWorkflow(starts),
    executeWorkflowBatch: executeWorkflowBatch(starts),
    exportExecutions: exportExecutions(runs),
    getExecutionHistogram: getExecutionHistogram(runs),
    stopExecutions: stopExecutions(runs),
    createBulkAction: createBulkAction(runs),
    listBulkActions: listBulkActions(runs),
    getBulkAction: getBulkAction(runs),
    abortBulkAction: abortBulkAction(runs),
    listFailureGroups: listFailureGroups(runs),
    getFailureGroup: getFailureGroup(runs),
    updateFailureGroup: updateFailureGroup(runs),
    sendEvent: sendEvent(starts),
    getExecution: getExecution(runs),
    updateExecution: updateExecution(runs),
    listCallbacks: listCallbacks(runs),
    replayCallback: replayCallback(runs),
    followExecution: followExecution(runs),

    getLiveness: getLiveness(),
    getReadiness: getReadiness(monitoring),
    getMetrics: getMetrics(monitoring),

    getSetup: getSetup(people),
    setup: setup(people),
    login: login(people),
    startPasskeySignIn: startPasskeySignIn(people),
    finishSignIn: finishSignIn(people),
    getSecondFactors: getSecondFactors(people),
    startAuthenticator: startAuthenticator(people),
    confirmAuthenticator: confirmAuthenticator(people),
    removeAuthenticator: removeAuthenticator(people),
    startPasskey: startPasskey(people),
    addPasskey: addPasskey(people),
    removePasskey: removePasskey(people),
    replaceRecoveryCodes: replaceRecoveryCodes(people),
    startConfirmation: startConfirmation(people),
    confirmIdentity: confirmIsYou(people),
    logout: logout(people),
    getCurrentUser: getCurrentUser(people),
    changePassword: changePassword(people),
    listSessions: listSessions(people),
    endOtherSessions: endOtherSessions(people),
    endSession: endSession(people),
    getSignInMethods: getSignInMethods(people),
    startSignOn: startSignOn(people),
    finishSignOn: finishSignOn(people),
    signOff: signOff(people),
    requestPasswordReset: requestPasswordReset(people),
    redeemPasswordReset: redeemReset(people),
    startDevice: startDevice(people),
    getDevice: getDevice(people),
    approveDevice: approveDevice(people),
    redeemDevice: redeemDevice(people),
    acceptInvite: acceptInvite(people),

    getMe: getMe(people),
    listUsers: listUsers(people),
    deactivateUser: deactivateUser(people),
    activateUser: activateUser(people),
    disconnectUser: disconnectUser(people),
    createApiKey: createApiKey(people),
    listApiKeys: listApiKeys(people),
    revokeApiKey: revokeApiKey(people),
    rotateApiKey: rotateApiKey(people),

    listWorkspaces: listWorkspaces(resources),
    createWorkspace: createWorkspace(resources),
    getWorkspace: getWorkspace(resources),
    updateWorkspace: updateWorkspace(resources),
    deleteWorkspace: deleteWorkspace(resources),
    getWorkspaceUsage: getWorkspaceUsage(resources),
    listCallbackSecrets: listCallbackSecrets(resources),
    rotateCallbackSecret: rotateCallbackSecret(resources),

    listMembers: listMembers(resources),
    addMember: addMember(resources),
    updateMember: updateMember(resources),
    removeMember: removeMember(resources),
    leaveWorkspace: leaveWorkspace(resources),
    createInvite: createInvite(resources),
    listInvites: listInvites(resources),
    deleteInvite: deleteInvite(resources),

    listWorkflows: listWorkflows(resources),
    createWorkflow: createWorkflow(resources),
    applyWorkflow: applyWorkflow(resources),
    getWorkflow: getWorkflow(resources),
    updateWorkflow: updateWorkflow(resources),
    deleteWorkflow: deleteWorkflow(resources),
    duplicateWorkflow: duplicateWorkflow(resources),
    importN8nWorkflow: importN8nWorkflow(resources),
    listActivations: listActivations(resources),
    listVersions: listVersions(resources),
    saveVersion: saveVersion(resources),
    getVersion: getVersion(resources),
    getDraft: getDraft(resources),
    saveDraft: saveDraft(resources),
    deleteDraft: deleteDraft(resources),
    getImportReport: getImportReport(resources),
    deleteImportReport: deleteImportReport(resources),
    changeWebhookUrl: changeWebhookUrl(resources),
    openWebhookTest: openWebhookTest(resources),
    listDeliveries: listDeliveries(starts),
    replayDelivery: replayDelivery(starts),
    listSchedules: listSchedules(resources),
    listScheduleTimes: listScheduleTimes(),
    pauseSchedule: pauseSchedule(resources),
    resumeSchedule: resumeSchedule(resources),
    listNodeTypes: listNodeTypes(resources),

    listVariables: listVariables(resources),
    createVariable: createVariable(resources),
    updateVariable: updateVariable(resources),
    listVariableUses: listVariableUses(resources),
    deleteVariable: deleteVariable(resources),

    listConnectors: listConnectors(resources),
    createConnector: createConnector(resources),
    listConnectorChoices: listConnectorChoices(resources),
    listConnectorVersions: listConnectorVersions(resources),
    deleteConnector: deleteConnector(resources),
    listConnectorOperations: listConnectorOperations(resources),
    getConnectorOperation: getConnectorOperation(resources),

    listCredentials: listCredentials(resources),
    // `callback` would be taken for an id.
    finishCredentialConnection: finishCredentialConnection(resources),
    createCredential: createCredential(resources),
    getCredential: getCredential(resources),
    updateCredential: updateCredential(resources),
    deleteCredential: deleteCredential(resources),
    connectCredential: connectCredential(resources),
    pollCredentialConnection: pollCredentialConnection(resources),
    testCredential: testCredential(resources),
    listCredentialUses: listCredentialUses(resources),

    listEventEndpoints: listEventEndpoints(resources),
    createEventEndpoint: createEventEndpoint(resources),
    getEventEndpoint: getEventEndpoint(resources),
    updateEventEndpoint: updateEventEndpoint(resources),
    deleteEventEndpoint: deleteEventEndpoint(resources),
    listEventSecrets: listEventSecrets(resources),
    rotateEventSecret: rotateEventSecret(resources),
    sendTestEvent: sendTestEvent(resources),
    listEventDeliveries: listEventDeliveries(resources),
    replayEvents: replayEvents(resources),
    replayEventDelivery: replayEventDelivery(resources),

    listFolders: listFolders(resources),
    createFolder: createFolder(resources),
    updateFolder: updateFolder(resources),
    deleteFolder: deleteFolder(resources),

    listExecutions: listExecutions(runs),
    listWorkflowExecutions: listWorkflowExecutions(runs),
    getFile: getFile(runs),
    createFileLink: createFileLink(runs),
    uploadFile: uploadFile(runs),
    getNodeOutput: getNodeOutput(runs),
    getNodeDebug: getNodeDebug(runs),
    getExecutionResult: getExecutionResult(runs),
    listIterations: listIterations(runs),
    stopExecution: stopExecution(runs),
    pauseExecution: pauseExecution(runs),
    resumeExecution: resumeExecution(runs),
    rerunExecution: rerunExecution(starts),
    redactExecution: redactExecution(runs),
    deleteExecution: deleteExecution(runs),
    completeHumanTask: completeHumanTask(runs),

    getFleet: getFleet(monitoring),
    getRunStats: getRunStats(monitoring),
    listSlowWorkflows: listSlowWorkflows(monitoring),
    getWorkflowActivity: getWorkflowActivity(monitoring),

    getInsights: getInsights(runs),
    getAiUsage: getAiUsage(resources),
    listMemories: listMemories(resources),
    getMemory: getMemory(resources),
    deleteMemory: deleteMemory(resources),

    listApprovals: listApprovals(runs),
    listHumanTasks: listHumanTasks(runs),
    submitApproval: submitApproval(runs),

    listAuditLog: listAuditLog(resources),

    listInstanceAuditLog: listInstanceAuditLog(resources),
    getWorkspaceLimits: getWorkspaceLimits(resources),
    updateWorkspaceLimits: updateWorkspaceLimits(resources),
    getStoredBytes: getStoredBytes(resources),
    getInstanceSettings: getInstanceSettings(resources),
    updateInstanceSettings: updateInstanceSettings(resources),
    getModelPrices: getModelPrices(resources),
    updateModelPrices: updateModelPrices(resources),
  };
  return Object.entries(operations).map(([id, route]) => ({ id, ...route }));
}
