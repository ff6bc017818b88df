import type { NamedRoute } from './openapi/document.js';
import { listInstanceAuditLog } from './routes/admin/audit-log.js';
import { readLimits, writeLimits } from './routes/admin/limits.js';
import { readSettings, writeSettings } from './routes/admin/settings.js';
import { readUsage } from './routes/admin/usage.js';
import { readAiUsage } from './routes/ai/usage.js';
import { createApiKey } from './routes/api-keys/create.js';
import { listApiKeys } from './routes/api-keys/list.js';
import { revokeApiKey } from './routes/api-keys/revoke.js';
import { rotateApiKey } from './routes/api-keys/rotate.js';
import { listApprovals } from './routes/approvals/list.js';
import { listHumanTasks } from './routes/human-tasks/list.js';
import { submitApproval } from './routes/approvals/submit.js';
import { acceptInvite } from './routes/auth/accept-invite.js';
import { login } from './routes/auth/login.js';
import { logout } from './routes/auth/logout.js';
import { me } from './routes/auth/me.js';
import { listAuditLog } from './routes/audit-log/list.js';
import { changePassword } from './routes/auth/password.js';
import { endSession, listSessions } from './routes/auth/sessions.js';
import { readSetup, setup } from './routes/auth/setup.js';
import { createCredential } from './routes/credentials/create.js';
import { deleteCredential } from './routes/credentials/delete.js';
import { listCredentials } from './routes/credentials/list.js';
import { readCredential } from './routes/credentials/read.js';
import { updateCredential } from './routes/credentials/update.js';
import { completeHuman } from './routes/executions/complete.js';
import { deleteExecution, redactExecution } from './routes/executions/erase.js';
import { followExecution } from './routes/executions/events.js';
import { execute } from './routes/executions/execute.js';
import { pauseExecution, resumeExecution } from './routes/executions/pause.js';
import { exportExecutions } from './routes/executions/export.js';
import { listExecutions } from './routes/executions/list.js';
import { readExecution } from './routes/executions/read.js';
import { listIterations } from './routes/executions/list-iterations.js';
import { readExecutionResult } from './routes/executions/read-result.js';
import { readNodeDebug } from './routes/executions/read-debug.js';
import { readNodeOutput } from './routes/executions/read-output.js';
import { rerunExecution } from './routes/executions/rerun.js';
import { stopExecution } from './routes/executions/stop.js';
import { stopExecutions } from './routes/executions/stop-many.js';
import { createFolder } from './routes/folders/create.js';
import { deleteFolder } from './routes/folders/delete.js';
import { listFolders } from './routes/folders/list.js';
import { updateFolder } from './routes/folders/update.js';
import { live, ready } from './routes/health/health.js';
import { readMetrics } from './routes/health/metrics.js';
import { createInvite } from './routes/invites/create.js';
import { deleteInvite } from './routes/invites/delete.js';
import { listInvites } from './routes/invites/list.js';
import { readMe } from './routes/me/read.js';
import { addMember } from './routes/members/add.js';
import { leaveWorkspace } from './routes/members/leave.js';
import { listMembers } from './routes/members/list.js';
import { removeMember } from './routes/members/remove.js';
import { updateMember } from './routes/members/update.js';
import { readFleet } from './routes/monitoring/fleet.js';
import { readStats } from './routes/monitoring/stats.js';
import { readSlowWorkflows } from './routes/monitoring/workflows.js';
import { listNodeTypes } from './routes/node-types/list.js';
import { createVariable } from './routes/variables/create.js';
import { deleteVariable } from './routes/variables/delete.js';
import { listVariables } from './routes/variables/list.js';
import { updateVariable } from './routes/variables/update.js';
import { listVersions } from './routes/versions/list.js';
import { readVersion } from './routes/versions/read.js';
import { saveVersion } from './routes/versions/save.js';
import { listSchedules } from './routes/schedules/list.js';
import { pauseSchedule, resumeSchedule } from './routes/schedules/pause.js';
import { changeWebhookUrl } from './routes/webhooks/change-url.js';
import { listDeliveries } from './routes/webhooks/list-deliveries.js';
import { openWebhookTest } from './routes/webhooks/open-test.js';
import { replayDelivery } from './routes/webhooks/replay.js';
import { createWorkflow } from './routes/workflows/create.js';
import { deleteWorkflow } from './routes/workflows/delete.js';
import { duplicateWorkflow } from './routes/workflows/duplicate.js';
import { listActivations } from './routes/workflows/list-activations.js';
import { listWorkflowExecutions } from './routes/workflows/list-executions.js';
import { listWorkflows } from './routes/workflows/list.js';
import { readWorkflow } from './routes/workflows/read.js';
import { updateWorkflow } from './routes/workflows/update.js';
import { createWorkspace } from './routes/workspaces/create.js';
import { deleteWorkspace } from './routes/workspaces/delete.js';
import { listWorkspaces } from './routes/workspaces/list.js';
import { readWorkspace } from './routes/workspaces/read.js';
import { updateWorkspace } from './routes/workspaces/update.js';
import { readWorkspaceUsage } from './routes/workspaces/usage.js';
import type { Services } from './services.js';

/**
 * Every operation of the API by its name, which generated clients call it by, in the order in which paths are matched.
 */
export function listRoutes(services: Services): NamedRoute[] {
  const operations = {
    // Asked for most: paths are tried one after another. `export` and `stop` would be taken for ids.
    executeWorkflow: execute,
    exportExecutions,
    stopExecutions,
    getExecution: readExecution,
    followExecution,

    getLiveness: live,
    getReadiness: ready,
    getMetrics: readMetrics,

    getSetup: readSetup,
    setup,
    login,
    logout,
    getCurrentUser: me,
    changePassword,
    listSessions,
    endSession,
    acceptInvite,

    getMe: readMe,
    createApiKey,
    listApiKeys,
    revokeApiKey,
    rotateApiKey,

    listWorkspaces,
    createWorkspace,
    getWorkspace: readWorkspace,
    updateWorkspace,
    deleteWorkspace,
    getWorkspaceUsage: readWorkspaceUsage,

    listMembers,
    addMember,
    updateMember,
    removeMember,
    leaveWorkspace,
    createInvite,
    listInvites,
    deleteInvite,

    listWorkflows,
    createWorkflow,
    getWorkflow: readWorkflow,
    updateWorkflow,
    deleteWorkflow,
    duplicateWorkflow,
    listActivations,
    listVersions,
    saveVersion,
    getVersion: readVersion,
    changeWebhookUrl,
    openWebhookTest,
    listDeliveries,
    replayDelivery,
    listSchedules,
    pauseSchedule,
    resumeSchedule,
    listNodeTypes,

    listVariables,
    createVariable,
    updateVariable,
    deleteVariable,

    listCredentials,
    createCredential,
    getCredential: readCredential,
    updateCredential,
    deleteCredential,

    listFolders,
    createFolder,
    updateFolder,
    deleteFolder,

    listExecutions,
    listWorkflowExecutions,
    getNodeOutput: readNodeOutput,
    getNodeDebug: readNodeDebug,
    getExecutionResult: readExecutionResult,
    listIterations,
    stopExecution,
    pauseExecution,
    resumeExecution,
    rerunExecution,
    redactExecution,
    deleteExecution,
    completeHumanTask: completeHuman,

    getFleet: readFleet,
    getRunStats: readStats,
    listSlowWorkflows: readSlowWorkflows,

    getAiUsage: readAiUsage,

    listApprovals,
    listHumanTasks,
    submitApproval,

    listAuditLog,

    listInstanceAuditLog,
    getWorkspaceLimits: readLimits,
    updateWorkspaceLimits: writeLimits,
    getStoredBytes: readUsage,
    getInstanceSettings: readSettings,
    updateInstanceSettings: writeSettings,
  };
  return Object.entries(operations).map(([id, create]) => ({ id, ...create(services) }));
}
